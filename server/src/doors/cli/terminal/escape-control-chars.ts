/**
 * Escapes text from other callers for the terminal. Escapes characters that would move the cursor, change colours, end
 * a line or change the reading direction. They are shown and have no effect.
 */
export function escapeControlChars(text: string): string {
  return text.replace(controlChars, hexEscape);
}

/** Escapes each line of a text, and keeps the line feeds. */
export function escapeControlCharsByLine(text: string): string {
  return text.split("\n").map(escapeControlChars).join("\n");
}

/** Controls, line and paragraph separators, marks that reverse or hide text, and unpaired surrogates. */
const controlChars =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Cs}/gu;

function hexEscape(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
