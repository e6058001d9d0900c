/**
 * Whether a JSON text names a member with an escape. JSON.parse may read such a name wrongly: V8 compares its raw text
 * with names that it has met before, and then `{"q":1,"a\n":2}` comes out as {"q":1,"a\\":2}, depending on what else the
 * process has parsed (https://github.com/nodejs/node/issues/63785). Two nodes would fold the same entry differently.
 */
export function hasEscapedName(text: string): boolean {
  // Backslashes occur in strings only, so a search for the next one skips everything else at the speed of memory.
  let at = text.indexOf("\\");
  while (at !== -1) {
    const end = endOfString(text, at);
    if (isBeforeColon(text, end)) return true;
    at = text.indexOf("\\", end);
  }
  return false;
}

/** Where the string that `inside` is a part of is closed; the end of the text when it is not. */
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
