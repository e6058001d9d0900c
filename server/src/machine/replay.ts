import { sameJson } from "@holdfast/sdk/json/same-json";
import type { Command, Entry, Outcome } from "./entry.ts";
import { refusal } from "./refusal.ts";

/** The answer to a key that an earlier entry used. */
interface Replay {
  readonly outcome: Outcome;
  /** True if the outcome is that of the first use. False if it is a refusal of this use. */
  readonly replayed: boolean;
}

/**
 * Answers a command whose key an earlier entry used. Nothing runs and nothing is recorded. The same request gets the
 * same outcome, and another request is refused. An entry of another operation withdrew the request.
 */
export function replayOf(prior: Entry, command: Command, time: number, windowMs: number): Replay {
  if (prior.operation !== command.operation) {
    return { outcome: refusal("request_withdrawn", { position: prior.position }), replayed: false };
  }
  if (prior.erased !== undefined) {
    const data = { position: prior.position, erased_by: prior.erased };
    return { outcome: refusal("entry_erased", data), replayed: false };
  }
  if (!sameJson(prior.input, command.input)) {
    return { outcome: refusal("idempotency_replay_conflict", { position: prior.position }), replayed: false };
  }
  if (time - prior.time > windowMs) {
    return { outcome: refusal("idempotency_key_expired", { position: prior.position }), replayed: false };
  }
  return { outcome: prior.outcome, replayed: true };
}
