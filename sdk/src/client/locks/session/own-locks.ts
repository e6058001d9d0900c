import { areInConflict } from "../../../base/lock-conflicts.ts";
import { LockUsageError } from "../handle/lock-errors.ts";
import type { LockedPath } from "../handle/lock.ts";
import type { AcquireRequest } from "../waiting/lock-options.ts";
import { pathSetOf } from "./path-set.ts";

/**
 * The locks and tickets of one client. To the server all of them have the same owner, which never blocks itself. Two
 * tasks of one program would both get the lock, and neither would know. So the client itself refuses the second.
 */
export class OwnLocks {
  readonly #sets = new Set<readonly LockedPath[]>();
  readonly #onLeave: () => void;

  constructor(onLeave: () => void) {
    this.#onLeave = onLeave;
  }

  /** Registers a request until the returned function is called. */
  enter({ paths, reentrant }: Pick<AcquireRequest, "paths" | "reentrant">): () => void {
    if (reentrant !== true) this.#refuseOverlap(paths);
    this.#sets.add(paths);
    return () => {
      if (this.#sets.delete(paths)) this.#onLeave();
    };
  }

  /** Whether a task has exactly this set of paths, or requests it. */
  wants(set: string): boolean {
    for (const paths of this.#sets) if (pathSetOf(paths) === set) return true;
    return false;
  }

  #refuseOverlap(wanted: readonly LockedPath[]): void {
    for (const set of this.#sets) {
      for (const mine of set) {
        const other = wanted.find((path) => areInConflict(mine, path));
        if (other !== undefined) throw overlap(mine, other);
      }
    }
  }
}

function overlap(mine: LockedPath, other: LockedPath): LockUsageError {
  return new LockUsageError(
    `this client already has a ${mine.mode} lock on ${mine.path}, or waits for one, so a ${other.mode} lock on ` +
      `${other.path} would not separate the two. Use the existing lock; or pass \`reentrant: true\` to share it; or, ` +
      "if they are tasks that must exclude each other, give each its own client: client.agent({ name }).",
  );
}
