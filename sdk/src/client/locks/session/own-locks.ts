import { areInConflict } from "../../../base/lock-conflicts.ts";
import { LockUsageError } from "../handle/lock-errors.ts";
import type { LockedPath } from "../handle/lock.ts";
import type { Wish } from "../waiting/lock-options.ts";
import { setOf } from "./path-set.ts";

/**
 * What one client holds or waits for. To the server all of it has the same owner, which is never in its own way: two
 * tasks of one program would both be let in, and neither would know. So the client refuses the second itself.
 */
export class OwnLocks {
  readonly #taken = new Set<readonly LockedPath[]>();
  readonly #onLeave: () => void;

  constructor(onLeave: () => void) {
    this.#onLeave = onLeave;
  }

  /** Notes a wish until the function that it returns is called. */
  enter({ paths, reentrant }: Pick<Wish, "paths" | "reentrant">): () => void {
    if (reentrant !== true) this.#refuseOverlap(paths);
    this.#taken.add(paths);
    return () => {
      if (this.#taken.delete(paths)) this.#onLeave();
    };
  }

  /** Whether anybody has exactly this set of paths, or is about to. */
  wants(set: string): boolean {
    for (const taken of this.#taken) if (setOf(taken) === set) return true;
    return false;
  }

  #refuseOverlap(wanted: readonly LockedPath[]): void {
    for (const taken of this.#taken) {
      for (const mine of taken) {
        const other = wanted.find((one) => areInConflict(mine, one));
        if (other !== undefined) throw overlap(mine, other);
      }
    }
  }
}

function overlap(mine: LockedPath, other: LockedPath): LockUsageError {
  return new LockUsageError(
    `this client has a ${mine.mode} lock on ${mine.path} already, or waits for one, so a ${other.mode} lock on ` +
      `${other.path} would not keep the two apart. Use the lock you have; or pass \`reentrant: true\` to share it; or, ` +
      "if they are tasks that must exclude each other, give each a client of its own: client.fork({ name }).",
  );
}
