import type { CallReply } from "@holdfast/sdk";
import { keyScope } from "../../server/src/machine/entry.ts";
import type { SimulatedRequest } from "./entity-requests.ts";

/** Something that a caller wants to happen once, however often it is sent. */
export interface Intent {
  readonly principal: string;
  readonly request: SimulatedRequest;
  readonly key: string | undefined;
  /** False if the same key was also used for something else. */
  isHonest: boolean;
  /** True once the caller knows what it came to. */
  isKnown: boolean;
}

/** One sending of an intent to one life of a node. Its name is kept in the entry: as the agent, or in the id. */
export interface Attempt {
  readonly name: string;
  readonly intent: Intent;
  readonly owner: string;
  /** How often the journal had gone back when it was sent. */
  readonly losses: number;
  /** For reads: the position that each subject must at least have. */
  readonly floor: ReadonlyMap<string, number>;
  isAnswered: boolean;
  /** True if it was told that nothing happened, and nothing ever will. */
  isRefusedForCertain: boolean;
}

export type Outcome = CallReply["outcome"];

/** Answers that promise that the command was not carried out. */
const certainCodes = new Set(["deadline_passed", "journal_unavailable", "overloaded", "stopping"]);

/** Answers after which the same command may be sent again. */
export function mayRetry(outcome: Outcome): boolean {
  return outcome.kind === "refusal" && (certainCodes.has(outcome.code) || outcome.code === "outcome_unknown");
}

export function isCertainFailure(outcome: Outcome): boolean {
  return outcome.kind === "refusal" && certainCodes.has(outcome.code);
}

/** Refusals that leave no entry, even with a key: nothing was decided from the state. */
const undecidedCodes = new Set([
  ...certainCodes,
  "outcome_unknown",
  "input_malformed",
  "input_invalid",
  "operation_unknown",
  "internal_error",
  "idempotency_replay_conflict",
  "idempotency_key_expired",
]);

/** Whether an answer is about something that must be in the journal. */
export function mustBeRecorded(outcome: Outcome, intent: Intent): boolean {
  if (outcome.kind === "refusal") {
    return outcome.code === "concurrency_mismatch" || (intent.key !== undefined && !undecidedCodes.has(outcome.code));
  }
  const { changed, granted } = outcome.data as { changed?: boolean; granted?: boolean };
  return intent.key !== undefined || changed === true || granted === false;
}

export function scopeOf({ principal, request, key }: Intent): string | undefined {
  return key === undefined ? undefined : keyScope({ principal, operation: request.operation, key });
}
