import { defined } from "../../../base/defined.ts";
import type { HeldGrant } from "./held-grant.ts";
import { pathSetOf } from "../session/path-set.ts";
import { refusalCodeOf, mayWorkLater } from "../closed-error.ts";
import type { LockSession } from "../session/session.ts";

/**
 * Releases a grant without users. A concurrent request for the same set gets the same grant, so its reply is awaited
 * first: its caller then uses the grant. A grant that has already ended needs no release, and that is not an error.
 */
export async function releaseGrant(session: LockSession, grant: HeldGrant, note?: string): Promise<void> {
  if (grant.isOver) return;
  await session.mutex.runExclusive(pathSetOf(grant.paths), async () => {
    if (grant.handleCount > 0 || isAwaited(session, grant)) return;
    const isHeld = session.grants.get(grant.fence) === grant;
    grant.end();
    if (isHeld) await release(session, grant, note);
  });
}

/** Several tasks wait for this grant together, and not all have received it. */
function isAwaited({ tickets }: LockSession, grant: HeldGrant): boolean {
  return grant.ticket !== undefined && tickets.get(grant.ticket)?.held === grant;
}

type Granted = Pick<HeldGrant, "fence" | "paths">;

/** Releases a grant that arrived after its handle was released, unless another handle uses it. */
export function releaseLate(session: LockSession, granted: Granted): Promise<void> {
  return session.mutex.runExclusive(pathSetOf(granted.paths), async () => {
    if (!session.grants.has(granted.fence)) await release(session, granted);
  });
}

/** Retries after a lost reply: a heartbeat would renew an unused grant. */
async function release(session: LockSession, { fence, paths }: Granted, note?: string): Promise<void> {
  const released = defined({ fence, note });
  try {
    await session.run("release-lock", released);
  } catch (error) {
    if (refusalCodeOf(error) === "lock_not_held" || refusalCodeOf(error) === "agent_unknown") return;
    if (mayWorkLater(error)) session.cleanups.release({ set: pathSetOf(paths), ...released, isInDoubt: true });
    throw error;
  }
}
