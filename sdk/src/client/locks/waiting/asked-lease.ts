/**
 * Asking again for what one holds renews it at the server only if that makes the lease end later, and from then on its
 * length is the one that was asked for last. So no shorter one is asked for than is held: whether the answer arrives or
 * not, nothing that is counted on has become less. And of what was held already no more is certain than was asked for.
 */
import type { Granted, Queued } from "../../../contract/locks.ts";
import type { HeldGrant } from "../handle/held-grant.ts";
import type { LockedPath } from "../handle/lock.ts";
import { scopesOf } from "../session/path-set.ts";

/** What an acquire says about its lease. */
export interface Asking {
  readonly paths?: readonly LockedPath[];
  readonly ttl_seconds?: number;
}

/** The same question, for no less than the lease that is held. */
export function noShorter<Input extends Asking>(input: Input, grants: Iterable<HeldGrant>): Input {
  const { paths = [], ttl_seconds = 0 } = input;
  const held = heldSet(grants, paths);
  return held === undefined ? input : { ...input, ttl_seconds: Math.max(ttl_seconds, Math.ceil(held.ttlMs / 1000)) };
}

/** The answer, with what of the lease is certain. */
export function certainLease(answer: Granted | Queued, { ttl_seconds = Infinity }: Asking): Granted | Queued {
  if (!answer.granted || answer.already_held !== true || answer.ttl_seconds <= ttl_seconds) return answer;
  return { ...answer, ttl_seconds };
}

/** The grant of exactly these paths, in whatever modes. */
export function heldSet(grants: Iterable<HeldGrant>, paths: readonly LockedPath[]): HeldGrant | undefined {
  const wanted = scopesOf(paths);
  for (const grant of grants) {
    const isSame = ({ path, scope }: LockedPath): boolean => wanted.get(path) === scope;
    if (grant.paths.length === wanted.size && grant.paths.every(isSame)) return grant;
  }
  return undefined;
}
