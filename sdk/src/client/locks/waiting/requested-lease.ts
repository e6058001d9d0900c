/**
 * A repeated request for a held lock renews it only if its lease then ends later, and the lease keeps the last
 * requested length. So the client never requests a shorter lease than it holds: nothing that it relies on shrinks,
 * whether or not the reply arrives. For a lock that was already held only the requested lease is certain.
 */
import type { Granted, Queued } from "../../operation-output.ts";
import type { HeldGrant } from "../handle/held-grant.ts";
import type { LockedPath } from "../handle/lock.ts";
import { scopesOf } from "../session/path-set.ts";

/** The lease of an acquire. */
interface LeaseRequest {
  readonly paths?: readonly LockedPath[];
  readonly ttlMs?: number;
}

/** The same request with at least the held lease. */
export function requestedLease<Input extends LeaseRequest>(input: Input, grants: Iterable<HeldGrant>): Input {
  const { paths = [], ttlMs = 0 } = input;
  const held = heldSet(grants, paths);
  return held === undefined ? input : { ...input, ttlMs: Math.max(ttlMs, Math.ceil(held.ttlMs / 1000) * 1000) };
}

/** The reply with the certain part of the lease. */
export function certainLease(answer: Granted | Queued, { ttlMs = Infinity }: LeaseRequest): Granted | Queued {
  if (!answer.granted || answer.alreadyHeld !== true || answer.ttlMs <= ttlMs) return answer;
  return { ...answer, ttlMs };
}

/** The grant of exactly these paths, in any mode. */
export function heldSet(grants: Iterable<HeldGrant>, paths: readonly LockedPath[]): HeldGrant | undefined {
  const wanted = scopesOf(paths);
  for (const grant of grants) {
    const isSame = ({ path, scope }: LockedPath): boolean => wanted.get(path) === scope;
    if (grant.paths.length === wanted.size && grant.paths.every(isSame)) return grant;
  }
  return undefined;
}
