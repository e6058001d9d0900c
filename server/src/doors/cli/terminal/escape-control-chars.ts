/**
 * Text that somebody else wrote, made fit for a terminal: what would move the cursor, change colours, end a line or turn
 * the reading direction is shown as an escape instead of being obeyed.
 */
export function escapeControlChars(text: string): string {
  return text.replace(controlChars, hexEscape);
}

/** The same for text of several lines: it keeps its line ends. */
export function escapeControlCharsByLine(text: string): string {
  return text.split("\n").map(escapeControlChars).join("\n");
}

/** Controls, line and paragraph separators, marks that turn or hide text, and halves of surrogate pairs. */
const controlChars =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Cs}/gu;

function hexEscape(sign: string): string {
  const code = sign.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
