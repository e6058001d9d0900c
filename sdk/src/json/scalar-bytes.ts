/** UTF-8 bytes of a scalar's JSON text. */
export function scalarBytes(value: null | boolean | number | string): number {
  if (typeof value === "string") return stringBytes(value);
  if (typeof value === "number") return numberBytes(value);
  return value === false ? 5 : 4;
}

/** UTF-8 bytes of a well-formed string's JSON text, quotes and escapes included. */
export function stringBytes(text: string): number {
  let bytes = text.length + 2;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // The common case: printable ASCII has one byte, except for the quote and the backslash.
    if (unit >= 0x5d ? unit < 0x80 : unit >= 0x20 && unit !== 0x22 && unit !== 0x5c) continue;
    bytes += extraBytes(unit);
  }
  return bytes;
}

/** UTF-8 bytes of a text, without quotes and escapes. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x80) bytes += extraBytes(unit);
  }
  return bytes;
}

function extraBytes(unit: number): number {
  if (unit >= 0x80) {
    // A surrogate pair has four bytes, two for each half.
    return unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  if (unit >= 0x20) return 1;
  // \b \t \n \f \r have short escapes. Other control characters are written as \u00XX.
  return unit === 8 || unit === 9 || unit === 10 || unit === 12 || unit === 13 ? 1 : 5;
}

function numberBytes(value: number): number {
  // Most numbers in commands are small counts. They need no string.
  if (value >= 0 && value < 1000 && value % 1 === 0) return value < 10 ? 1 : value < 100 ? 2 : 3;
  return String(value).length;
}
