import type { ClientClock } from "../client-clock.ts";
import { pause } from "../client-clock.ts";
import type { DeniedLock, Lock } from "./lock.ts";
import type { LockOptions } from "./lock-options.ts";
import type { LockPaths } from "./lock-path.ts";
import type { LockSessions } from "./lock-sessions.ts";

export interface DeadlockRetryOptions {
  /** The first one included; 3 if not given. */
  readonly tries?: number;
  /** The first delay, doubled with each try; 100 if not given. */
  readonly baseMs?: number;
  /** The longest delay; 2,000 if not given. */
  readonly capMs?: number;
}

/** What a try takes its locks with: they are released before the next one. */
export interface Tries {
  readonly acquire: (paths: LockPaths, options?: LockOptions) => Promise<Lock | DeniedLock>;
  /** Which try it is, from 1. */
  readonly tried: number;
}

/** Waiting would not have ended in any of the tries. */
export class DeadlockError extends Error {
  override readonly name = "DeadlockError";
  readonly code = "deadlock";
  readonly max_retries: number;
  readonly last_error: unknown;
  /** Who waits for whom, if the last error says so. */
  readonly cycle: readonly unknown[];

  constructor(tries: number, last: unknown) {
    super(`Operation failed after ${tries} deadlock retries`, { cause: last });
    this.max_retries = tries;
    this.last_error = last;
    const cycle = (last as { readonly data?: { readonly cycle?: unknown } }).data?.cycle;
    this.cycle = Array.isArray(cycle) ? cycle : [];
  }
}

const jitterMs = 50;
/** Holdfast's own code, and the SQLSTATE with which a database says the same. */
const deadlockCodes = new Set<unknown>(["deadlock", "40P01"]);

export async function retryOnDeadlock<Result>(
  sessions: Pick<LockSessions, "acquire">,
  clock: ClientClock,
  work: (tries: Tries) => Promise<Result>,
  { tries = 3, baseMs = 100, capMs = 2_000 }: DeadlockRetryOptions = {},
): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    const taken: (Lock | DeniedLock)[] = [];
    const acquire: Tries["acquire"] = async (paths, options) => {
      const lock = await sessions.acquire(paths, options);
      taken.push(lock);
      return lock;
    };
    try {
      return await work({ acquire, tried });
    } catch (error) {
      // In the order in which they were taken, the last one first.
      for (const lock of taken.toReversed()) await lock[Symbol.asyncDispose]();
      if (!deadlockCodes.has((error as { readonly code?: unknown } | undefined)?.code)) throw error;
      if (tried >= tries) throw new DeadlockError(tries, error);
    }
    const delayMs = Math.min(capMs, baseMs * 2 ** (tried - 1));
    await pause(clock, Math.max(0, delayMs + (2 * clock.random() - 1) * jitterMs));
  }
}
