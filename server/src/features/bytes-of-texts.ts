/**
 * Bytes that texts of a row occupy in memory, as the quota counts them. A text has up to two bytes per UTF-16 code
 * unit. Lengths are read, not scanned, so the cost does not depend on them.
 */
export function bytesOfTexts(...texts: readonly (string | undefined)[]): number {
  let length = 0;
  for (const text of texts) if (text !== undefined) length += text.length;
  return 2 * length;
}
