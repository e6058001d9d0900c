import { correctionIdOf } from "../../server/src/app/packs/intents/prepare-correction.ts";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { Decider } from "../locks/decider.ts";
import type { DecisionResult } from "../locks/decider.ts";

/** A machine that decides commands of intents, one after the other, at the time that the test sets. */
export class IntentDecider extends Decider {
  /** Decides an operation of the pack. */
  intents(operation: string, input: JsonObject, agent?: string): DecisionResult {
    return this.decide(`intents.${operation}`, input, "p", agent);
  }

  create(id: string, status = "received", payload: JsonObject = { text: "two chairs" }): DecisionResult {
    return this.intents("create", { id, status, payload });
  }

  /** A re-evaluation with the id that the application layer sets. */
  reevaluate(id: string, diff: JsonObject, more: JsonObject = {}): DecisionResult {
    const { agent, ...input } = { source: "pricing", reason: "the list changed", ...more } as JsonObject;
    const correction_id = correctionIdOf(id, { diff, ...input });
    return this.intents("reevaluate", { id, diff, ...input, correction_id }, agent as string | undefined);
  }

  /** Acquires the lock of an intent and returns its fence. */
  lock(id: string, owner: string, ttlSeconds = 15): string {
    return this.acquire(owner, `intent/${id}`, { ttlMs: ttlSeconds * 1_000 }).data["fence"] as string;
  }

  /** Starts or resumes a run of bridges with these names. */
  run(id: string, fence: string, bridges: readonly string[], more: JsonObject = {}): DecisionResult {
    const plan = { pipeline: "orders", bridges: bridges.map((name) => ({ name })) };
    return this.intents("run", { id, fence, ...plan, ...more });
  }

  advance(id: string, fence: string, step: string, more: JsonObject = {}): DecisionResult {
    const run = this.value(id)["run_count"] ?? 0;
    return this.intents("advance", { id, fence, run, step, outcome: "done", ...more });
  }

  /** The stored value of an intent. */
  value(id: string): JsonObject {
    const row = [...this.machine.dump()].find(
      ({ table, row: each }) => table === "entities" && (each as { subject: string }).subject === `intent/${id}`,
    );
    return (row?.row as { readonly value?: JsonObject } | undefined)?.value ?? {};
  }

  /** The newest run of an intent. */
  runOf(id: string): JsonObject {
    const { runs, run_count: count } = this.value(id) as { readonly runs: JsonObject; readonly run_count: number };
    return runs[String(count)] as JsonObject;
  }
}

/** The types of the events of a decision, those of locks left out. */
export function typesOf({ events }: DecisionResult): readonly string[] {
  return events.map(({ type }) => type).filter((type) => !type.startsWith("lock."));
}
