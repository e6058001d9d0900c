import type { ClientClock } from "../../client-clock.ts";
import { backoffMs } from "../../../base/backoff-ms.ts";
import { pause } from "../../../base/pause.ts";
import type { DeniedLock, Lock } from "../handle/lock.ts";
import type { LockOptions } from "./lock-options.ts";
import type { LockPaths } from "../lock-path.ts";
import type { LockSessions } from "../session/lock-sessions.ts";

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
    const locks = new TryLocks(sessions);
    try {
      return await work({ acquire: locks.acquire, tried });
    } catch (error) {
      await locks.end(error);
      if (!deadlockCodes.has((error as { readonly code?: unknown } | undefined)?.code)) throw error;
      if (tried >= tries) throw new DeadlockError(tries, error);
    }
    const delayMs = backoffMs({ baseMs, capMs }, tried);
    await pause(clock, Math.max(0, delayMs + (2 * clock.random() - 1) * jitterMs));
  }
}

/** The locks of one try. Of several that are asked for together one may fail while the others are still under way. */
class TryLocks {
  readonly #sessions: Pick<LockSessions, "acquire">;
  readonly #taken: (Lock | DeniedLock)[] = [];
  readonly #asked = new Set<Promise<void>>();
  readonly #ending = new AbortController();

  constructor(sessions: Pick<LockSessions, "acquire">) {
    this.#sessions = sessions;
  }

  readonly acquire: Tries["acquire"] = (paths, options = {}) => {
    const signals = [this.#ending.signal, ...(options.signal === undefined ? [] : [options.signal])];
    const lock = this.#sessions.acquire(paths, { ...options, signal: AbortSignal.any(signals) });
    // Nobody may be left who waits for what ends with its try: its error is no fault that nobody has dealt with.
    const asked = lock.then(
      (got) => {
        this.#taken.push(got);
      },
      () => undefined,
    );
    this.#asked.add(asked);
    void asked.then(() => this.#asked.delete(asked));
    return lock;
  };

  /** Whatever is still waited for is waited for no more, and what was taken is released, the last one first. */
  async end(error: unknown): Promise<void> {
    this.#ending.abort(new Error("the try has ended, and with it what it was waiting for", { cause: error }));
    await Promise.all(this.#asked);
    for (const lock of this.#taken.toReversed()) await lock[Symbol.asyncDispose]();
  }
}
