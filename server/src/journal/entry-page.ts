/**
 * Fills the pages of `read` and `follow` from stored batches, the same way in every journal: in order, proven, within the limit, and
 * never empty when there is something to read (a page that no entry fits into would stop a reader for ever).
 */
import type { Entry } from "../machine/entry.ts";
import { type Head, JournalError, type PageLimit } from "./journal.ts";
import type { BatchEnd } from "./sealed-batch.ts";
import { damageError, headOf, type StoredBatch, unseal, unsealAll } from "./unseal.ts";

export interface EntryPage {
  readonly entries: readonly Entry[];
  /** Takes what fits of the next batch. Returns false once the page is full. */
  add(stored: StoredBatch): boolean;
}

/** A page of entries after a position. `joint` is the end of the batch before the first one that will be taken. */
export function createEntryPage(after: number, joint: BatchEnd, limit: PageLimit): EntryPage {
  const entries: Entry[] = [];
  let bytes = 0;
  let { position: last, hash } = joint;

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

export interface BatchPage {
  readonly entries: readonly Entry[];
  /** The head that the entries lead to. */
  head(): Head;
  /** Takes all of the next batch. Returns false once there is enough. */
  add(stored: StoredBatch): boolean;
}

/** Whole batches after a head, up to about the limit: a follower needs the hash at its end, so no batch is cut. */
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
  return damageError(position, "chain", "the batch that should start here is missing");
}

export function noEntry(position: number, head: number): JournalError {
  const message = `There is no entry at position ${position}; the last one is ${head}.`;
  return new JournalError("invalid", message, { certain: true });
}
