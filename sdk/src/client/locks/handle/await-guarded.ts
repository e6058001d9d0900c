import { LockUsageError } from "./lock-errors.ts";
import type { DeniedLock, Lock } from "./lock.ts";

const misused = ["granted", "fence", "signal", "release", "state", Symbol.asyncDispose, Symbol.dispose];

const get = (): never => {
  throw new LockUsageError(
    "this is the promise of a lock, not the lock: write `await using lock = await client.acquire(…)`, with both",
  );
};

/** Made once: seven getters on the promise of each acquire would cost more than the promise itself. */
const guardedPrototype = Object.create(
  Promise.prototype,
  Object.fromEntries(misused.map((name) => [name, { get }])),
) as object;

/** A promise of a lock that explains the missing `await` when a program uses it as the lock. */
export function awaitGuarded<Result extends Lock | DeniedLock>(lock: Promise<Result>): Promise<Result> {
  // Not a subclass: its constructor stays Promise, so that `await` takes the promise as it is.
  Object.setPrototypeOf(lock, guardedPrototype);
  return lock;
}
