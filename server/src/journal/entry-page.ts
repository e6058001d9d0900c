/**
 * Fills the pages of `read` and `follow` from stored batches. Every journal uses these pages: ordered, verified, and within
 * the limit. A page is never empty while there is something to read, because an empty page would stop a reader forever.
 */
import type { Entry } from "../machine/entry.ts";
import { type Head, JournalError, type PageLimit } from "./journal.ts";
import type { BatchEnd } from "./sealed-batch.ts";
import { damageError, headOf, type StoredBatch, unseal, unsealAll } from "./unseal.ts";

interface EntryPage {
  readonly entries: readonly Entry[];
  /** Adds the entries of the next batch that fit. Returns false once the page is full. */
  add(stored: StoredBatch): boolean;
}

/** A page of entries after a position. `previous` is the end of the batch before the first one that will be added. */
export function createEntryPage(after: number, previous: BatchEnd, limit: PageLimit): EntryPage {
  const entries: Entry[] = [];
  let bytes = 0;
  let { position: last, hash } = previous;

  function fits(size: number): boolean {
    return entries.length === 0 || (entries.length < limit.entries && bytes + size <= limit.bytes);
  }

  return {
    entries,
    add(stored) {
      if (stored.first !== last + 1) throw missingBatch(last + 1);
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

interface BatchPage {
  readonly entries: readonly Entry[];
  /** The head that the entries lead to. */
  head(): Head;
  /** Adds the next batch as a whole. Returns false once the limit is reached. */
  add(stored: StoredBatch): boolean;
}

/** Whole batches after a head, up to about the limit. A follower needs the hash at the end, so no batch is cut. */
export function createBatchPage(after: Head, limit: PageLimit): BatchPage {
  const entries: Entry[] = [];
  let bytes = 0;
  let head = after;
  return {
    entries,
    head: () => head,
    add(stored) {
      if (stored.first !== head.position + 1) throw missingBatch(head.position + 1);
      entries.push(...unsealAll(stored, head.hash));
      bytes += stored.lines.length;
      head = headOf(stored);
      return entries.length < limit.entries && bytes < limit.bytes;
    },
  };
}

function missingBatch(position: number): JournalError {
  return damageError(position, "chain", "the batch that starts here is missing");
}

export function noEntry(position: number, head: number): JournalError {
  const message = `There is no entry at position ${position}. The last position is ${head}.`;
  return new JournalError("invalid", message, { certain: true });
}
