/**
 * Whether the name of a member contains an escape. JSON.parse can misread such a name: V8 compares its raw text with
 * names that it parsed before. Then `{"q":1,"a\n":2}` becomes {"q":1,"a\\":2}, depending on earlier texts in the process
 * (https://github.com/nodejs/node/issues/63785). Two nodes would fold the same entry differently.
 */
export function hasEscapedName(text: string): boolean {
  // Backslashes occur only in strings. The search for the next one skips all other text at memory speed.
  let at = text.indexOf("\\");
  while (at !== -1) {
    const end = endOfString(text, at);
    if (isBeforeColon(text, end)) return true;
    at = text.indexOf("\\", end);
  }
  return false;
}

/** The offset of the quote that closes the string around `inside`, or the end of the text. */
export function endOfString(text: string, inside: number): number {
  for (let index = inside; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === 0x22) return index;
    if (unit === 0x5c) index++;
  }
  return text.length;
}

function isBeforeColon(text: string, end: number): boolean {
  let index = end + 1;
  while (text.charCodeAt(index) <= 0x20) index++;
  return text.charCodeAt(index) === 0x3a;
}
