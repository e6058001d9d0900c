/** Copies of payloads outside the journal, such as those in an event stream. */
import type { PayloadErasure } from "../journal/journal.ts";

export interface PayloadCopies {
  /** Removes all copies of these payloads permanently. Throws a CopiesRemainError if copies may remain. */
  remove(erasures: readonly PayloadErasure[]): Promise<void>;
}

/** Copies of an erased payload may remain outside the journal. The message has the reason and the next step. */
export class CopiesRemainError extends Error {
  override readonly name = "CopiesRemainError";
}
