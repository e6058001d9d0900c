/**
 * Whether a batch may follow what is there, the same in every journal. Comparing the position alone would accept a
 * node whose history was lost in a failover, on top of what others wrote since: two histories in one.
 */
import { type AppendResult, type Head, JournalError } from "./journal.ts";
import { genesis, type SealedBatch } from "./seal.ts";

/** `hashAt` gives the hash of the stored batch that ends at a position, if one does. */
export function checkPredecessor(
  batch: SealedBatch,
  head: Head,
  hashAt: (position: number) => string | undefined,
): AppendResult {
  const { after } = batch;
  if (after.position === head.position && after.hash === head.hash) {
    rejectEarlierTime(batch, head);
    return { kind: "appended" };
  }
  if (after.position >= head.position) return { kind: "diverged" };
  const there = after.position === 0 ? genesis.hash : hashAt(after.position);
  return { kind: there === after.hash ? "behind" : "diverged" };
}

/** `seal` compared with what the caller said about its predecessor; this compares with what is stored. */
function rejectEarlierTime(batch: SealedBatch, head: Head): void {
  const time = batch.entries[0]?.time ?? batch.head.time;
  if (time >= head.time) return;
  throw new JournalError("invalid", `The batch starts at time ${time}, before the journal's last time ${head.time}.`, {
    certain: true,
  });
}
