import type { CallReply } from "@holdfast/sdk";
import { plainCode } from "@holdfast/sdk/contract";
import { keyScope } from "../../server/src/machine/entry.ts";
import type { SimulatedRequest } from "./entity-requests.ts";

/** A command that its caller wants to happen once, regardless of how often it is sent. */
export interface Intent {
  readonly principal: string;
  readonly request: SimulatedRequest;
  readonly key: string | undefined;
  /** False if the same key was also used for another command. */
  isHonest: boolean;
  /** True once the caller knows the outcome. */
  isKnown: boolean;
}

/** One sending of an intent to one life of a node. The entry contains its name, as the agent or in the id. */
export interface Attempt {
  readonly name: string;
  readonly intent: Intent;
  readonly owner: string;
  /** Number of rollbacks of the journal before it was sent. */
  readonly losses: number;
  /** For reads: the minimum position of each subject. */
  readonly floor: ReadonlyMap<string, number>;
  isAnswered: boolean;
  /** True if its answer promised that nothing happened, and nothing ever will. */
  isRefusedForCertain: boolean;
}

export type Outcome = CallReply["outcome"];

/** Answers that promise that the command was not executed. */
const certainCodes = new Set([
  ...["deadline_passed", "journal_unavailable", "overloaded", "stopping"],
  ...["check_unavailable", "check_contended"],
]);

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
  "request_withdrawn",
]);

/** True if the answer is about an entry that must be in the journal. */
export function mustBeRecorded(outcome: Outcome, intent: Intent): boolean {
  if (outcome.kind === "refusal") {
    const code = plainCode(outcome.code);
    if (code === "concurrency_mismatch" || code === "programs.hash_conflict") return true;
    // A refused withdrawal leaves its key unused.
    const isKept = intent.key !== undefined && intent.request.operation !== "withdraw-request";
    return isKept && !undecidedCodes.has(code);
  }
  const { changed, granted } = outcome.data as { changed?: boolean; granted?: boolean };
  return intent.key !== undefined || changed === true || granted === false;
}

export function scopeOf({ principal, request, key }: Intent): string | undefined {
  return key === undefined ? undefined : keyScope({ principal, operation: request.operation, key });
}
