/** The errors of intents. Programs compare `code`, or use the class. */
import { HoldfastError } from "../holdfast-error.ts";
import { DeadlockError } from "../locks/waiting/deadlock-error.ts";
import type { LockHolder } from "../operation-output.ts";
import type { Intent } from "../packs/intent-operations.ts";

class IntentError extends HoldfastError {
  constructor(refused: HoldfastError) {
    const { code, data, position, replayed, isWire } = refused;
    super("intents", code, { data, position, replayed, isWire });
    this.message = refused.message;
    this.cause = refused;
  }
}

/** There is no intent with this id, or it was deleted. */
export class IntentNotFoundError extends IntentError {
  override readonly name = "IntentNotFoundError";
}

/** Another owner holds the lock of the intent, and it was not free in time. */
export class LockTimeoutError extends IntentError {
  override readonly name = "LockTimeoutError";
  /** How long this call waited for the lock. */
  readonly waitedMs: number;

  constructor(refused: HoldfastError, waitedMs = 0) {
    super(refused);
    this.waitedMs = waitedMs;
  }

  get holders(): readonly LockHolder[] {
    return (this.data["holders"] ?? []) as readonly LockHolder[];
  }
}

/** The status of the intent does not allow the change, or the word is not a status. */
export class InvalidStatusTransitionError extends IntentError {
  override readonly name = "InvalidStatusTransitionError";
}

/** Another writer changed the intent since the expected version. */
export class ConcurrencyConflictError extends IntentError {
  override readonly name = "ConcurrencyConflictError";
}

/** A bridge failed, and its run ended or paused. `cause` is the error of the bridge. */
export class BridgeExecutionError extends Error {
  override readonly name = "BridgeExecutionError";
  readonly code = "bridge_failed";
  readonly bridge: string;
  /** The intent after the failure, with its run. */
  readonly intent: Intent;

  constructor(bridge: string, intent: Intent, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`Bridge ${bridge} of the intent ${intent.id} failed: ${why}`, { cause });
    this.bridge = bridge;
    this.intent = intent;
  }
}

/** Thrown by a bridge: the run ends in every mode, and the step is never retried. */
export class FatalBridgeError extends Error {
  override readonly name = "FatalBridgeError";
}

const classes: readonly (readonly [RegExp, new (refused: HoldfastError) => HoldfastError])[] = [
  [/^(intents\.)?entity_(not_found|deleted)$/u, IntentNotFoundError],
  [/^intents\.lock_timeout$/u, LockTimeoutError],
  [/^intents\.(transition_invalid|status_unknown)$/u, InvalidStatusTransitionError],
  [/^(intents\.)?concurrency_mismatch$/u, ConcurrencyConflictError],
];

/** The error with the class of its code. Any other error stays as it is. */
export function intentError(error: unknown): unknown {
  if (!(error instanceof HoldfastError) || error instanceof IntentError) return error;
  if (error.code === "deadlock") return new DeadlockError(1, error);
  const found = classes.find(([code]) => code.test(error.code))?.[1];
  return found === undefined ? error : new found(error);
}
