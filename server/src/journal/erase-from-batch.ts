/**
 * Removes the payload of one entry from a batch permanently. The headers do not change, and so neither does the hash of
 * the batch. A marker that names the erasing entry replaces the payload. The first erasure wins: a second one changes
 * nothing. `keepSize` pads the line with blanks, for a store that would move a row whose size changes.
 */
export function eraseFromBatch<Batch extends { readonly first: number; readonly lines: string }>(
  stored: Batch,
  position: number,
  by: number,
  { keepSize = false } = {},
): Batch {
  const lines = stored.lines.split("\n");
  const at = position - stored.first + 1;
  const old = lines[at] ?? "";
  if (erasedByMark(old) !== undefined) return stored;
  lines[at] = erasedLine(by).padEnd(keepSize ? Buffer.byteLength(old) : 0);
  return { ...stored, lines: lines.join("\n") };
}

function erasedLine(by: number): string {
  return `{"erased":${String(by)}}`;
}

/** The position of the erasing entry, if this payload line is a marker of an erasure. */
export function erasedByMark(line: string): number | undefined {
  const by = /^\{"erased":([1-9]\d{0,15})\} *$/.exec(line)?.[1];
  return by === undefined ? undefined : Number(by);
}
