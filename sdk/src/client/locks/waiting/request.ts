import { HoldfastError } from "../../holdfast-error.ts";
import { LockUsageError } from "../handle/lock-errors.ts";
import type { DeniedLock, Lock } from "../handle/lock.ts";
import type { RequestLockOptions } from "./lock-options.ts";
import type { LockPaths } from "../lock-path.ts";

/** Holds a lock while a callback runs: the shape of the Web Locks API. */
export interface RequestLock {
  /** Runs the callback under the lock and returns its result. */
  <Result>(paths: LockPaths, callback: (lock: Lock) => Result | Promise<Result>): Promise<Result>;
  /** The same. If the lock is not free, the callback gets null. */
  <Result>(
    paths: LockPaths,
    options: RequestLockOptions & { readonly ifAvailable: true },
    callback: (lock: Lock | null) => Result | Promise<Result>,
  ): Promise<Result>;
  <Result>(
    paths: LockPaths,
    options: RequestLockOptions,
    callback: (lock: Lock) => Result | Promise<Result>,
  ): Promise<Result>;
}

type Callback = (lock: Lock | null) => unknown;

/**
 * Holds a lock while the promise of a callback is pending, and returns its result. If the lock was lost and the
 * callback did not fail, the loss is thrown: another owner may have written in that time.
 */
export async function requestLock(
  acquire: (options: RequestLockOptions) => Promise<Lock | DeniedLock>,
  given: readonly [RequestLockOptions | Callback | undefined, Callback | undefined],
): Promise<unknown> {
  const [options, callback] = typeof given[0] === "function" ? [{}, given[0]] : [given[0] ?? {}, given[1]];
  if (typeof callback !== "function") {
    throw new LockUsageError(
      "the last argument must be the function to run under the lock: locks.request(path, options, async (lock) => { … })",
    );
  }
  const lock = await acquire(options);
  if (!lock.granted) {
    if (options.ifAvailable === true) return callback(null);
    throw new HoldfastError("request", "lock_denied", { data: deniedData(lock) });
  }
  await using held = lock;
  const result = await callback(held);
  if (held.lost !== undefined) throw held.lost;
  return result;
}

function deniedData({ data, message }: DeniedLock): Readonly<Record<string, unknown>> {
  return { ...data, reason: message };
}
