import type { Engine } from "../../../engine/engine.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Refusal } from "../../../machine/entry.ts";
import { refusal } from "../../../machine/refusal.ts";
import { journalRefusal } from "../journal-refusal.ts";

/** How long to wait before it is asked for again; whoever keeps the files busy may need longer. */
const retryAfterMs = 1_000;

/**
 * Nothing is said to be erased before it is. The erasure is named by what the command came to, be it decided now or before:
 * so whoever asks again finishes what failed. Returns why it could not be finished.
 */
export async function carryOutErasure(engine: Engine, outcome: JsonObject): Promise<Refusal | undefined> {
  const { position, erased_by: by } = outcome;
  try {
    await engine.executeErasure({ position: position as number, by: by as number });
    return undefined;
  } catch (error) {
    const refused = journalRefusal(error);
    if (refused.code === "history_archived") return refused;
    const reason = refused.data["reason"] ?? refused.code;
    return refusal("erasure_unfinished", { ...outcome, reason, retry_after_ms: retryAfterMs });
  }
}
