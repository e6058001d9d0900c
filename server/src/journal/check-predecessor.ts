/**
 * Checks that a batch may follow the journal's head. Every journal uses this check. A comparison of positions alone would
 * accept a node whose history was lost in a failover. Its batch would follow the entries that other nodes appended since,
 * and the journal would hold two histories.
 */
import { type AppendResult, type Head, JournalError } from "./journal.ts";
import { genesis, type SealedBatch } from "./seal.ts";

/** `hashAt` returns the hash of the stored batch that ends at a position, if there is one. */
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
  const storedHash = after.position === 0 ? genesis.hash : hashAt(after.position);
  return { kind: storedHash === after.hash ? "behind" : "diverged" };
}

/** `seal` compares with the predecessor that the caller passed. This function compares with the stored head. */
function rejectEarlierTime(batch: SealedBatch, head: Head): void {
  const time = batch.entries[0]?.time ?? batch.head.time;
  if (time >= head.time) return;
  throw new JournalError("invalid", `The batch starts at time ${time}, before the journal's last time ${head.time}.`, {
    certain: true,
  });
}
