/** The text of an export back to steps. Ids of nodes are part of the text, so histories continue with the same ids. */
import { defined } from "@holdfast/sdk/base/defined";
import type { ProgramStep } from "./steps/step-context.ts";

type ImportedText =
  | { readonly steps: readonly ProgramStep[]; readonly error?: undefined }
  | { readonly steps?: undefined; readonly error: { readonly line: number; readonly message: string } };

const header = /^@id\("([a-z][a-z0-9_]*)"\)(?: module ([a-z_][a-z0-9_]*))?(?: in ([a-z][a-z0-9_]*))?$/u;

const pageMark = "@page";

interface Section {
  readonly line: number;
  readonly match: RegExpExecArray;
  readonly lines: string[];
}

function stepOf({ match, lines }: Section): ProgramStep {
  const [, id = "", name, home] = match;
  if (name !== undefined) return { type: "add_module", module_id: id, name, ...defined({ parent: home }) };
  const text = lines.join("\n");
  const place = defined({ module_id: home });
  const isType = /^\s*(pub\s+)?(struct|enum)\b/u.test(text);
  return isType
    ? { type: "add_type", type_id: id, text, ...place }
    : { type: "add_function", function_id: id, text, ...place };
}

export function importText(text: string): ImportedText {
  const sections: Section[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const match = line.startsWith("@id(") ? header.exec(line.trimEnd()) : null;
    if (match !== null) sections.push({ line: index + 1, match, lines: [] });
    // Marks of pages are for clients that send them one after the other.
    else if (line.trimEnd() === pageMark) continue;
    else if (line.startsWith("@id("))
      return { error: { line: index + 1, message: `Expected @id("f1"), found ${line.slice(0, 60)}` } };
    else if (sections.length === 0 && line.trim() !== "")
      return { error: { line: index + 1, message: `Expected @id("f1"), found ${line.slice(0, 60)}` } };
    else sections.at(-1)?.lines.push(line);
  }
  return { steps: sections.map(stepOf) };
}
