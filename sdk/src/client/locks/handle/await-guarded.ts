import { LockUsageError } from "./lock-errors.ts";
import type { DeniedLock, Lock } from "./lock.ts";

const misused = ["granted", "fence", "signal", "release", "state", Symbol.asyncDispose, Symbol.dispose];

/** A promise of a lock that explains the missing `await` when a program uses it as the lock. */
export function awaitGuarded(lock: Promise<Lock | DeniedLock>): Promise<Lock | DeniedLock> {
  const get = (): never => {
    throw new LockUsageError(
      "this is the promise of a lock, not the lock: write `await using lock = await client.acquire(…)`, with both",
    );
  };
  void Object.defineProperties(lock, Object.fromEntries(misused.map((name) => [name, { get }])));
  return lock;
}
