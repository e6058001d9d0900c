import type { Journal } from "../journal/journal.ts";

/** The last position whose entry is older than a time, or 0 if there is none. Time never decreases along the journal. */
export async function findByTime(journal: Journal, beforeMs: number): Promise<number> {
  let low = 0;
  let high = (await journal.head()).position;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const [entry] = await journal.readAt([middle]);
    if (entry !== undefined && entry.time < beforeMs) low = middle;
    else high = middle - 1;
  }
  return low;
}
