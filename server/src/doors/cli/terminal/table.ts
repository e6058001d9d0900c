import type { Paint } from "./paint.ts";

/** Rows under headings, in aligned columns. The caller must escape text from other callers first. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string {
  const widths = headings.map((heading, column) =>
    Math.max(displayWidth(heading), ...rows.map((row) => displayWidth(row[column] ?? ""))),
  );
  const lineOf = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? cell : padded(cell, widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return [paint.strong(lineOf(headings)), ...rows.map(lineOf)].join("\n");
}

function padded(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - displayWidth(cell)));
}

/** Made on demand: the data of all languages takes longer to load than most commands take. */
let segmenter: Intl.Segmenter | undefined;

function graphemesOf(text: string): Iterable<{ readonly segment: string }> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** The width of a text in terminal columns. Colours have no width; East Asian characters and most emoji have two. */
export function displayWidth(text: string): number {
  const plain = text.replace(colourCodes, "");
  if (/^[\x20-\x7e]*$/u.test(plain)) return plain.length;
  let width = 0;
  for (const { segment } of graphemesOf(plain)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** Truncates a text to a width in terminal columns, with an ellipsis at the end. */
export function truncateToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const { segment } of graphemesOf(text)) {
    used += displayWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept}…`;
}

const colourCodes = /\u001b\[[0-9;]*m/gu;
const wide =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|^\p{Emoji_Presentation}/u;
