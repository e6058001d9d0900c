/** Waits for the lock of an intent with a real ticket, so that waiting is fair and a deadlock is found at once. */
import type { CoreClient } from "../core-client.ts";
import type { ClientClock } from "../client-clock.ts";
import { loadPackData } from "../data/operation-data.ts";
import type { Run } from "../entities-client.ts";
import { HoldfastError } from "../holdfast-error.ts";
import type { Lock } from "../locks/handle/lock.ts";
import type { SendOperation } from "../operations-client.ts";
import type { CallOptions } from "../transport/transport.ts";
import { LockTimeoutError, intentError } from "./intent-errors.ts";
import type { OwnerPool } from "./owner-pool.ts";

/** The parts of a client that intents use. */
export interface IntentCalls {
  readonly run: Run;
  readonly clock: ClientClock;
  readonly owners: OwnerPool;
}

export interface WaitOptions extends CallOptions {
  /** Wait for a lock that another owner holds, for the timeout that operators set. Without it a call never waits. */
  readonly wait?: boolean;
  /** The same with a maximum wait. */
  readonly waitMs?: number;
}

export interface HoldOptions {
  /** Maximum wait for the lock; 0 by default. */
  readonly waitMs?: number;
  /** The lease, which is the time to detect a crash; 15,000 by default. */
  readonly ttlMs?: number;
  readonly purpose?: string;
  readonly signal?: AbortSignal;
}

const defaultTtlMs = 15_000;

/** Holds the locks of intents during the work, all of them or none. */
export async function holdIntents<Result>(
  { owners, clock }: Pick<IntentCalls, "owners" | "clock">,
  ids: readonly string[],
  { waitMs = 0, ttlMs = defaultTtlMs, ...options }: HoldOptions,
  work: (lock: Lock, owner: CoreClient) => Promise<Result>,
): Promise<Result> {
  const startedMs = clock.monotonicMs();
  return owners.use(async (owner) => {
    const paths = ids.map((id) => `intent/${id}`);
    const lock = await owner.tryAcquire(paths, { ...options, waitMs, ttlMs }).catch((error: unknown) => {
      throw intentError(error);
    });
    if (!lock.granted) {
      // The words of the refusal are loaded with the pack.
      await loadPackData("intents.get");
      const data = { ...lock.data, reason: lock.message, holders: lock.holders, intentId: ids[0] };
      const waitedMs = Math.round(clock.monotonicMs() - startedMs);
      throw withHint(
        owners,
        new LockTimeoutError(new HoldfastError("intents", "intents.lock_timeout", { data }), waitedMs),
      );
    }
    const { ownerId } = lock;
    owners.held.add(ownerId);
    try {
      return await work(lock, owner);
    } finally {
      owners.held.delete(ownerId);
      await lock.release();
    }
  });
}

/** A bridge that uses the client of its program instead of the client of its step would wait for itself. */
function withHint(owners: OwnerPool, error: LockTimeoutError): LockTimeoutError {
  if (error.holders.some(({ ownerId }) => owners.held.has(ownerId)))
    error.message += " This client holds the lock itself: in a bridge use step.client, under withLock use its methods.";
  return error;
}

/** Sends a write. If another owner holds the lock and the caller waits, it sends it again as the next holder. */
export async function sendOrWait(
  calls: IntentCalls,
  { operation, ids, input }: { readonly operation: string; readonly ids: readonly string[]; readonly input: object },
  { wait, waitMs, ...call }: WaitOptions = {},
): Promise<unknown> {
  const waits = wait === true || waitMs !== undefined;
  const key = call.key ?? (waits ? calls.clock.unique() : undefined);
  try {
    return await calls.run(operation, input, { ...call, key });
  } catch (error) {
    const refused = intentError(error);
    if (!(refused instanceof LockTimeoutError)) throw refused;
    if (!waits) throw withHint(calls.owners, refused);
    const limitMs = waitMs ?? Number(refused.data["lockTimeoutMs"]);
    const { agent: _agent, agentSecret: _secret, ...held } = call;
    return holdIntents(calls, ids, { waitMs: limitMs }, (_lock, owner) =>
      sendIntent(runAs(owner), operation, input, { ...held, key: `${String(key)}~lock` }),
    );
  }
}

/**
 * Sends operations of intents as the holder of a lock. The request names no fence. A repeat of the call holds the lock
 * under another fence, and must be the same request to get the same answer.
 */
export function runAs({ operations }: CoreClient): Run {
  const methods = operations.intents as unknown as Readonly<Record<string, SendOperation<unknown, unknown>>>;
  return (operation, input, options) => {
    const send = methods[operation.slice("intents.".length)];
    if (send === undefined) throw new TypeError(`${operation} is not an operation of intents`);
    return send(input, options);
  };
}

/** Sends an operation. Refusals have the classes of intents. */
export async function sendIntent(run: Run, operation: string, input: object, call: CallOptions = {}): Promise<unknown> {
  try {
    return await run(operation, input, call);
  } catch (error) {
    throw intentError(error);
  }
}
