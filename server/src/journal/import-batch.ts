import { type Journal, JournalError } from "./journal.ts";
import { headOf, type StoredBatch, unsealAll } from "./unseal.ts";

/**
 * Appends a batch that another journal stored, with the same lines and the same hashes. The batch must follow the
 * journal's head, or already be in the journal ("there"). An interrupted import can therefore be repeated. A batch that
 * does not match its hashes is rejected as a whole.
 *
 * If the imported history is in use elsewhere, the caller must raise the epoch before the engine decides anything.
 */
export async function importBatch(journal: Journal, stored: StoredBatch): Promise<"appended" | "there"> {
  const entries = unsealAll(stored, stored.previous);
  const head = headOf(stored);
  const current = await journal.head();
  if (head.position <= current.position) {
    const followed = await journal.follow(head, { entries: 1, bytes: 1 });
    if (followed.kind === "followed") return "there";
    throw importError(stored, "the journal holds another batch there");
  }
  if (stored.first !== current.position + 1)
    throw importError(stored, `the journal ends at position ${current.position}`);
  const after = { position: current.position, hash: stored.previous, time: current.time };
  const appended = await journal.append({ after, head, entries, lines: stored.lines });
  if (appended.kind === "appended") return "appended";
  throw importError(stored, "it follows another history than the journal's");
}

function importError({ first, count }: StoredBatch, reason: string): JournalError {
  const message = `The batch ${first} to ${first + count - 1} cannot be imported: ${reason}.`;
  return new JournalError("invalid", message, { certain: true });
}
