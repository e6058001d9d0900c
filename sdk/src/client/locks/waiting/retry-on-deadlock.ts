import type { ClientClock } from "../../client-clock.ts";
import { DeadlockError } from "./deadlock-error.ts";
import { backoffMs } from "../../../base/backoff-ms.ts";
import { pause } from "../../../base/pause.ts";
import type { DeniedLock, Lock } from "../handle/lock.ts";
import type { LockOptions, TryLockOptions } from "./lock-options.ts";
import type { LockPaths } from "../lock-path.ts";
import type { RetryCause } from "../../transport/transport.ts";
import type { LockSessions } from "../session/lock-sessions.ts";

export interface DeadlockRetryOptions {
  /** Maximum attempts, the first one included; 3 by default. */
  readonly tries?: number;
  /** The first delay, doubled with each attempt; 100 by default. */
  readonly baseMs?: number;
  /** Maximum delay; 2,000 by default. */
  readonly capMs?: number;
}

/** Acquires the locks of one attempt. They are released before the next one. */
export interface DeadlockAttempt {
  readonly acquire: (paths: LockPaths, options?: LockOptions) => Promise<Lock>;
  readonly tryAcquire: (paths: LockPaths, options?: TryLockOptions) => Promise<Lock | DeniedLock>;
  /** The number of the attempt, from 1. */
  readonly tried: number;
}

const jitterMs = 50;
/** Holdfast's code, and the SQLSTATE of a database for the same. */
const deadlockCodes = new Set<unknown>(["deadlock", "40P01"]);
/** Maximum errors that are examined: the thrown one and those that it wraps, as drivers and mappers of a database do. */
const wrappedMax = 5;
const wrappingMembers = ["cause", "driverError", "original"] as const;

export async function retryOnDeadlock<Result>(
  sessions: Pick<LockSessions, "acquire" | "tryAcquire">,
  clock: ClientClock,
  work: (attempt: DeadlockAttempt) => Promise<Result>,
  { tries = 3, baseMs = 100, capMs = 2_000 }: DeadlockRetryOptions = {},
): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    const locks = new AttemptLocks(sessions, { isRetry: tried > 1 });
    try {
      return await work({ acquire: locks.acquire, tryAcquire: locks.tryAcquire, tried });
    } catch (error) {
      await locks.end(error);
      if (!isDeadlock(error)) throw error;
      if (tried >= tries) throw new DeadlockError(tries, error);
    }
    const delayMs = backoffMs({ baseMs, capMs }, tried);
    await pause(clock, Math.max(0, delayMs + (2 * clock.random() - 1) * jitterMs));
  }
}

/** Whether an error, or one that it wraps, has the code of a deadlock. */
function isDeadlock(error: unknown): boolean {
  let level: readonly unknown[] = [error];
  for (let depth = 0; depth < wrappedMax && level.length > 0; depth += 1) {
    const errors = level.filter((item) => typeof item === "object" && item !== null) as Readonly<
      Record<string, unknown>
    >[];
    if (errors.some(({ code }) => deadlockCodes.has(code))) return true;
    level = errors.flatMap((item) => wrappingMembers.map((name) => item[name]));
  }
  return false;
}

/** The locks of one attempt. Of several concurrent requests one may fail while the others are in flight. */
class AttemptLocks {
  readonly #sessions: Pick<LockSessions, "acquire" | "tryAcquire">;
  readonly #locks: (Lock | DeniedLock)[] = [];
  readonly #pending = new Set<Promise<void>>();
  readonly #ending = new AbortController();

  /** Set until the first request of a repeated attempt is sent. Metrics count that request as the retry. */
  #marksRetry: boolean;

  constructor(sessions: Pick<LockSessions, "acquire" | "tryAcquire">, { isRetry }: { readonly isRetry: boolean }) {
    this.#sessions = sessions;
    this.#marksRetry = isRetry;
  }

  readonly acquire: DeadlockAttempt["acquire"] = (paths, options = {}) =>
    this.#collect(this.#sessions.acquire(paths, this.#untilEnd(options), this.#retryCause()));

  readonly tryAcquire: DeadlockAttempt["tryAcquire"] = (paths, options = {}) =>
    this.#collect(this.#sessions.tryAcquire(paths, this.#untilEnd(options), this.#retryCause()));

  #retryCause(): RetryCause | undefined {
    const cause = this.#marksRetry ? "deadlock" : undefined;
    this.#marksRetry = false;
    return cause;
  }

  #untilEnd<Options extends LockOptions>(options: Options): Options {
    const signals = [this.#ending.signal, ...(options.signal === undefined ? [] : [options.signal])];
    return { ...options, signal: AbortSignal.any(signals) };
  }

  #collect<Result extends Lock | DeniedLock>(lock: Promise<Result>): Promise<Result> {
    // Handles the rejection: a request that ends with its attempt may have no other listener.
    const settled = lock.then(
      (acquired) => {
        this.#locks.push(acquired);
      },
      () => undefined,
    );
    this.#pending.add(settled);
    void settled.then(() => this.#pending.delete(settled));
    return lock;
  }

  /** Aborts pending requests and releases acquired locks, the last one first. */
  async end(error: unknown): Promise<void> {
    this.#ending.abort(new Error("the attempt has ended, and its pending requests with it", { cause: error }));
    await Promise.all(this.#pending);
    for (const lock of this.#locks.toReversed()) await lock[Symbol.asyncDispose]();
  }
}
