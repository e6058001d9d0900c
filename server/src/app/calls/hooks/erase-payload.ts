import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Engine } from "../../../engine/engine.ts";
import { CopiesRemainError } from "../../../engine/payload-copies.ts";
import { refusal } from "../../../machine/refusal.ts";
import type { OperationHooks } from "../app-operation.ts";
import { journalRefusal } from "../journal-refusal.ts";

/** Retry delay of an unfinished erasure. Another process may use the files for longer than that. */
const retryAfterMs = 1_000;

export const erasePayload: OperationHooks = {
  prepare: [
    {
      at: "head",
      isNeeded: () => true,
      run: async (input, { services: { engine } }) => ({ input: await withSubjects(engine, input) }),
    },
  ],
  /**
   * Removes the payload before the reply. The outcome names the erasure, whether it is new or replayed, so a repeated
   * request finishes a failed one.
   */
  async finish(outcome, { services: { engine } }) {
    if (outcome.kind === "refusal") return outcome;
    const { position, erased_by: by } = outcome.data;
    try {
      await engine.executeErasure({ position: position as number, by: by as number });
      return outcome;
    } catch (error) {
      if (error instanceof CopiesRemainError) {
        const remains = { remains: "event_stream", reason: error.message };
        return refusal("erasure_unfinished", { ...outcome.data, ...remains, retry_after_ms: retryAfterMs });
      }
      const refused = journalRefusal(error);
      if (refused.code === "history_archived") return refused;
      const reason = refused.data["reason"] ?? refused.code;
      return refusal("erasure_unfinished", { ...outcome.data, reason, retry_after_ms: retryAfterMs });
    }
  },
};

/** The subjects of the entry to erase. Its header never changes, so the same request becomes the same command. */
async function withSubjects(engine: Engine, input: JsonObject): Promise<JsonObject> {
  const position = input["position"] as number;
  if (position < 1 || position > engine.head.position) return input;
  const [entry] = await engine.entriesAt([position]);
  return { ...input, events: (entry?.events ?? []).map(({ type, subject }) => [type, subject]) };
}
