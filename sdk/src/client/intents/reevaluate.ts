import { pause } from "../../base/pause.ts";
import { HoldfastError } from "../holdfast-error.ts";
import type { Intent, IntentOperations } from "../packs/intent-operations.ts";
import { ConcurrencyConflictError, LockTimeoutError } from "./intent-errors.ts";
import { holdIntents, runAs, sendIntent, sendOrWait } from "./hold-intents.ts";
import type { IntentCalls, WaitOptions } from "./hold-intents.ts";

type Diff = Readonly<Record<string, unknown>>;

/** A correction. `diff` is a merge patch of the payload, or a function that makes it from the intent as it is. */
export interface Correction {
  readonly diff: Diff | ((intent: Intent) => Diff);
  /** The author of the correction. */
  readonly source: string;
  readonly reason: string;
  readonly metadata?: Diff;
  /** Makes an equal difference a new correction. */
  readonly occasion?: string;
}

export interface ReevaluateOptions extends WaitOptions {
  /** Apply the correction to this version. After a conflict the client reads again. */
  readonly expectedVersion?: number;
  readonly fence?: string;
}

export type Reevaluated = IntentOperations["reevaluate"]["output"];

/**
 * Applies a correction once. With a condition it tries again after a conflict, with growing delays. Then it takes the
 * lock: no other writer is admitted under it, so the last try succeeds.
 */
export async function reevaluate(
  calls: IntentCalls,
  id: string,
  correction: Correction,
  options: ReevaluateOptions = {},
): Promise<Reevaluated> {
  const { expectedVersion, fence, ...wait } = options;
  const { diff } = correction;
  if (typeof diff !== "function" && (expectedVersion === undefined || fence !== undefined)) {
    const input = { ...correction, id, expectedVersion, fence };
    return (await sendOrWait(calls, { operation, ids: [id], input }, wait)) as Reevaluated;
  }
  return retried(calls, { id, correction, expectedVersion, fence }, wait);
}

const operation = "intents.reevaluate";

interface Attempt {
  readonly id: string;
  readonly correction: Correction;
  readonly expectedVersion: number | undefined;
  readonly fence: string | undefined;
}

async function retried(
  calls: IntentCalls,
  { id, correction, expectedVersion, fence }: Attempt,
  { wait: _wait, waitMs, ...call }: WaitOptions,
): Promise<Reevaluated> {
  const { run, clock } = calls;
  const key = call.key ?? clock.unique();
  const isStatic = typeof correction.diff !== "function";
  const sendTo = async (version: number | undefined, more: object, suffix: string): Promise<Reevaluated> => {
    const isKnown = version !== undefined && isStatic;
    const intent = isKnown ? undefined : ((await sendIntent(run, "intents.get", { id, corrections: 0 })) as Intent);
    const diff = typeof correction.diff === "function" ? correction.diff(intent as Intent) : correction.diff;
    const input = { ...correction, id, diff, expectedVersion: version ?? intent?.version, fence, ...more };
    const retry = suffix === "" ? {} : { retry: "conflict" as const };
    return (await sendIntent(run, operation, input, { ...call, ...retry, key: `${key}${suffix}` })) as Reevaluated;
  };
  const policy = (await sendIntent(
    run,
    "intents.list-strategies",
    {},
  )) as IntentOperations["list-strategies"]["output"];
  let last: unknown;
  for (let tried = 1; tried <= policy.maxTries; tried += 1) {
    try {
      const isFirst = tried === 1;
      return await sendTo(isFirst ? expectedVersion : undefined, { retryCount: tried - 1 }, isFirst ? "" : `~${tried}`);
    } catch (error) {
      if (!isLostTry(error, { isRepeatable: isStatic && tried > 1 })) throw error;
      last = error;
    }
    const jitterMs = (2 * clock.random() - 1) * policy.retryJitterMs;
    if (tried < policy.maxTries) await pause(clock, Math.max(0, policy.retryBaseMs * 2 ** tried + jitterMs));
  }
  try {
    return await holdIntents(calls, [id], { waitMs: waitMs ?? policy.lockTimeoutMs }, (lock, owner) => {
      const retryCount = policy.maxTries;
      if (!isStatic) return sendTo(undefined, { fence: lock.fence, retryCount }, "~lock");
      const { agent: _agent, agentSecret: _secret, ...held } = call;
      const last = { ...held, retry: "conflict" as const, key: `${key}~lock` };
      return sendIntent(runAs(owner), operation, { ...correction, id, retryCount }, last) as Promise<Reevaluated>;
    });
  } catch (error) {
    throw error instanceof LockTimeoutError && last instanceof ConcurrencyConflictError ? last : error;
  }
}

/**
 * Another writer was faster, or this is a repeat of the call that read another version under the key of its try. The id of
 * a correction keeps it from being applied twice.
 */
function isLostTry(error: unknown, { isRepeatable }: { readonly isRepeatable: boolean }): boolean {
  if (error instanceof ConcurrencyConflictError || error instanceof LockTimeoutError) return true;
  return isRepeatable && error instanceof HoldfastError && error.code.endsWith("idempotency_replay_conflict");
}
