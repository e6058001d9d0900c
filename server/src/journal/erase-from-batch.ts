/**
 * A batch with the payload of one entry taken out for good. The headers, and with them the hash of the batch, stay as
 * they are; in the payload's place stands which entry erased it. The first erasure counts. With `keepSize` the line is
 * filled up with blanks, for stores that would have to move what changes its size.
 */
export function eraseFromBatch<Batch extends { readonly first: number; readonly lines: string }>(
  stored: Batch,
  position: number,
  by: number,
  { keepSize = false } = {},
): Batch {
  const lines = stored.lines.split("\n");
  const at = 2 * (position - stored.first) + 1;
  const old = lines[at] ?? "";
  if (erasedBy(old) !== undefined) return stored;
  lines[at] = erasedLine(by).padEnd(keepSize ? Buffer.byteLength(old) : 0);
  return { ...stored, lines: lines.join("\n") };
}

export function erasedLine(by: number): string {
  return `{"erased":${String(by)}}`;
}

/** The position of the entry that erased the payload which was in this line's place. */
export function erasedBy(line: string): number | undefined {
  const by = /^\{"erased":([1-9]\d{0,15})\} *$/.exec(line)?.[1];
  return by === undefined ? undefined : Number(by);
}
