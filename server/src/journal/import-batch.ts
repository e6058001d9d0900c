import { type Journal, JournalError } from "./journal.ts";
import { headOf, type StoredBatch, unsealAll } from "./unseal.ts";

/**
 * Appends a batch as it was stored elsewhere: the same lines, the same hashes. It must follow what the journal has, or be
 * in it already ("there"): so an import that was cut short can simply be done again. Nothing of a batch that does not
 * prove itself gets in.
 *
 * Whoever imports a history that is in use elsewhere must raise the epoch before anything is decided here.
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
  const message = `The batch ${first} to ${first + count - 1} can not be imported: ${reason}.`;
  return new JournalError("invalid", message, { certain: true });
}
