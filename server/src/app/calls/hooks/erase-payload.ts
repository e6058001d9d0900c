import type { Engine } from "../../../engine/engine.ts";
import { CopiesRemainError } from "../../../engine/payload-copies.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Refusal } from "../../../machine/entry.ts";
import { refusal } from "../../../machine/refusal.ts";
import { journalRefusal } from "../journal-refusal.ts";

/** Retry delay of an unfinished erasure. Another process may use the files for longer than that. */
const retryAfterMs = 1_000;

/**
 * Removes the payload before the reply. The outcome names the erasure, whether it is new or replayed, so a repeated
 * request finishes a failed one. Returns the refusal if it could not be finished.
 */
export async function finishErasePayload(engine: Engine, outcome: JsonObject): Promise<Refusal | undefined> {
  const { position, erased_by: by } = outcome;
  try {
    await engine.executeErasure({ position: position as number, by: by as number });
    return undefined;
  } catch (error) {
    if (error instanceof CopiesRemainError) {
      const remains = { remains: "event_stream", reason: error.message };
      return refusal("erasure_unfinished", { ...outcome, ...remains, retry_after_ms: retryAfterMs });
    }
    const refused = journalRefusal(error);
    if (refused.code === "history_archived") return refused;
    const reason = refused.data["reason"] ?? refused.code;
    return refusal("erasure_unfinished", { ...outcome, reason, retry_after_ms: retryAfterMs });
  }
}
