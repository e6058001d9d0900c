/** The items of an export, and the pages in which they are sent. */
import { UsageError } from "../args/usage-error.ts";

interface ExportSection {
  readonly id: string;
  readonly text: string;
  /** The line of its mark in the file. */
  readonly line: number;
}

/** Maximum characters of one page, below the limit of the server. */
const pageMax = 524_288;

/** Splits an export at its marks. A text before the first mark stays in front of it, so that the server reports it. */
export function sectionsOf(text: string): readonly ExportSection[] {
  const sections: { id: string; lines: string[]; line: number }[] = [];
  for (const [index, line] of text.split(/\r?\n/u).entries()) {
    const [, id] = /^@id\("([^"]*)"\)/u.exec(line) ?? [];
    if (id !== undefined) sections.push({ id, lines: [line], line: index + 1 });
    else if (sections.length > 0) sections.at(-1)?.lines.push(line);
    else if (line.trim() !== "")
      throw new UsageError(`line ${index + 1}: expected a mark like @id("f1"), found ${line}`);
  }
  return sections.map(({ id, lines, line }) => ({ id, line, text: lines.join("\n").trimEnd() }));
}

/** The items that the program lacks. An item with another text is an error: an import does not change items. */
export function missingSections(
  wanted: readonly ExportSection[],
  present: readonly ExportSection[],
): readonly ExportSection[] {
  const texts = new Map(present.map(({ id, text }) => [id, text]));
  return wanted.filter(({ id, text, line }) => {
    const known = texts.get(id);
    if (known !== undefined && known !== text)
      throw new UsageError(
        `line ${line}: the program has another ${id} already; change it with \`holdfast program apply\``,
      );
    return known === undefined;
  });
}

export function importPages(sections: readonly ExportSection[]): readonly (readonly ExportSection[])[] {
  const pages: ExportSection[][] = [];
  let size = Infinity;
  for (const section of sections) {
    size += section.text.length + 2;
    if (size > pageMax) {
      pages.push([]);
      size = section.text.length;
    }
    pages.at(-1)?.push(section);
  }
  return pages;
}
