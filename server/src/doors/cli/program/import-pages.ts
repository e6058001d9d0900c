/** The items of an export, and the pages in which they are sent. */
import { UsageError } from "../args/usage-error.ts";
import { pageMark } from "./read-export.ts";

interface ExportSection {
  readonly id: string;
  readonly text: string;
  /** The line of its mark in the file. */
  readonly line: number;
  /** The number of its page in the file. */
  readonly page: number;
}

/** Maximum characters of one page, below the limit of the server. */
const pageMax = 524_288;

/** Splits an export at its marks. A text before the first mark stays in front of it, so that the server reports it. */
export function sectionsOf(text: string): readonly ExportSection[] {
  const sections: { id: string; lines: string[]; line: number; page: number }[] = [];
  let page = 1;
  for (const [index, line] of text.split(/\r?\n/u).entries()) {
    const [, id] = /^@id\("([^"]*)"\)/u.exec(line) ?? [];
    if (line.trimEnd() === pageMark) page += 1;
    else if (id !== undefined) sections.push({ id, lines: [line], line: index + 1, page });
    else if (sections.length > 0) sections.at(-1)?.lines.push(line);
    else if (line.trim() !== "")
      throw new UsageError(`line ${index + 1}: expected a mark like @id("f1"), found ${line}`);
  }
  return sections.map(({ id, lines, line, page: number }) => ({
    id,
    line,
    page: number,
    text: lines.join("\n").trimEnd(),
  }));
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

/** The pages of the file. An item of a page may need any other item of it, so only a file without marks is cut. */
export function importPages(sections: readonly ExportSection[]): readonly (readonly ExportSection[])[] {
  const pages: ExportSection[][] = [];
  const isMarked = sections.some(({ page }) => page > 1);
  let size = 0;
  for (const section of sections) {
    size += section.text.length + 2;
    const isNext = section.page !== pages.at(-1)?.[0]?.page;
    if (isNext || (size > pageMax && !isMarked)) {
      pages.push([]);
      size = section.text.length;
    }
    pages.at(-1)?.push(section);
  }
  return pages;
}
