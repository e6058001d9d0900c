/** The functions and types of a text file, each with its place in the file. */
import { defined } from "@holdfast/sdk/base/defined";
import { UsageError } from "../args/usage-error.ts";

export interface TextItem {
  readonly kind: "function" | "type";
  readonly name: string;
  readonly text: string;
  /** The line of the file in which the text begins. */
  readonly line: number;
  /** The id and the version that `holdfast program show` printed above the text. */
  readonly id?: string;
  readonly version?: number;
}

/** An item starts in the first column. No line inside a body can look the same: the language has no nested functions. */
const heading = /^(?:(?:pub|io|total)\s+)*(fn|struct|enum)\s+([A-Za-z_][A-Za-z0-9_]*)/u;
const marks = /^@id\("([a-z][a-z0-9_]{0,39})"\)(?: @version\(([1-9][0-9]{0,9})\))?\s*$/u;

interface StartedItem extends Omit<TextItem, "text"> {
  readonly lines: string[];
}

/** Splits a text at its functions and types. Comments and marks above an item belong to it. */
export function textItems(text: string, file: string): readonly TextItem[] {
  const items: StartedItem[] = [];
  let above: { lines: string[]; marked?: RegExpExecArray } = { lines: [] };
  for (const [index, line] of text.split(/\r?\n/u).entries()) {
    const [, word, name] = heading.exec(line) ?? [];
    if (word !== undefined && name !== undefined) {
      items.push({
        ...{ kind: word === "fn" ? "function" : "type", name, line: index + 1 - above.lines.length },
        ...marksOf(above.marked),
        lines: [...above.lines, line],
      });
      above = { lines: [] };
    } else if (line.startsWith("@id(")) {
      const marked = marks.exec(line);
      if (marked === null) throw new UsageError(`${file}:${index + 1}: a mark must be @id("f1") @version(3)`);
      above = { lines: [], marked };
    } else if (line.startsWith("//")) above.lines.push(line);
    else if (above.lines.length > 0) {
      // Only the lines directly above a heading belong to it.
      items.at(-1)?.lines.push(...above.lines, line);
      above.lines = [];
    } else if (items.length > 0) items.at(-1)?.lines.push(line);
    else if (line.trim() !== "")
      throw new UsageError(`${file}:${index + 1}: expected a function or a type, like pub fn name() -> i64`);
  }
  if (items.length === 0) throw new UsageError(`${file} has no function and no type`);
  return items.map(({ lines, ...item }) => ({ ...item, text: `${lines.join("\n").trimEnd()}\n` }));
}

function marksOf(marked: RegExpExecArray | undefined): Pick<TextItem, "id" | "version"> {
  const [, id, version] = marked ?? [];
  return defined({ id, version: version === undefined ? undefined : Number(version) });
}
