import { HoldfastError } from "@holdfast/sdk";
import { JournalError } from "../../journal/journal.ts";
import type { Refusal } from "../../machine/entry.ts";
import { refusal } from "../../machine/refusal.ts";

/** Retry delay after a failed read of the journal. */
const retryAfterMs = 1_000;

/** The refusal after a failed read of the journal. Any other error is a bug and is thrown again. */
export function journalRefusal(error: unknown): Refusal {
  if (!(error instanceof JournalError)) throw error;
  if (error.code === "archived") return refusal("history_archived", { reason: error.message });
  if (error.code === "closed") return refusal("stopping", { reason: "this node is stopping" });
  return refusal("journal_unavailable", { reason: error.code, retry_after_ms: retryAfterMs });
}

/** The same as an error, where there is no reply. */
export function unreadable(
  error: unknown,
  at: { readonly operation: string; readonly position: number },
): HoldfastError {
  const { code, data } = journalRefusal(error);
  return new HoldfastError(at.operation, code, { data, position: at.position });
}
