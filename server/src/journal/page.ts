/**
 * Fills one page of a read from stored batches, the same way in every journal: in order, proven, within the limit, and
 * never empty when there is something to read (a page that no entry fits into would stop a reader for ever).
 */
import type { Entry } from "../machine/entry.ts";
import type { PageLimit } from "./journal.ts";
import { damage, type StoredBatch, unseal } from "./unseal.ts";

export interface Page {
  readonly entries: readonly Entry[];
  /** Takes what fits of the next batch. Returns false once the page is full. */
  take(stored: StoredBatch): boolean;
}

/** A batch's end, where the next one must join on. */
export interface Joint {
  readonly position: number;
  readonly hash: string;
}

/** A page of entries after a position. `joint` is the end of the batch before the first one that will be taken. */
export function createPage(after: number, joint: Joint, limit: PageLimit): Page {
  const entries: Entry[] = [];
  let bytes = 0;
  let { position: last, hash } = joint;

  function fits(size: number): boolean {
    return entries.length === 0 || (entries.length < limit.entries && bytes + size <= limit.bytes);
  }

  return {
    entries,
    take(stored) {
      if (stored.first !== last + 1) throw damage(last + 1, "chain", "the batch that should start here is missing");
      const batch = unseal(stored, hash);
      last = batch.last;
      hash = stored.hash;
      for (let position = Math.max(batch.first, after + 1); position <= batch.last; position += 1) {
        const size = batch.size(position);
        if (!fits(size)) return false;
        entries.push(batch.entry(position));
        bytes += size;
      }
      return entries.length < limit.entries && bytes < limit.bytes;
    },
  };
}
