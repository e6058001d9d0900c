import type { StoredBatch } from "./unseal.ts";

/**
 * A batch with the payload of one entry taken out for good. The headers, and with them the hash of the batch, stay as
 * they are; in the payload's place stands which entry erased it.
 */
export function withoutPayload(stored: StoredBatch, position: number, by: number): StoredBatch {
  const lines = stored.lines.split("\n");
  lines[2 * (position - stored.first) + 1] = erasedLine(by);
  return { ...stored, lines: lines.join("\n") };
}

export function erasedLine(by: number): string {
  return `{"erased":${String(by)}}`;
}
