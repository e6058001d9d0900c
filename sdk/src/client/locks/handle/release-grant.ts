import type { HeldGrant } from "./held-grant.ts";
import { setOf } from "../session/path-set.ts";
import { codeOf, mayWorkLater } from "../refusals.ts";
import type { LockSession } from "../session/session.ts";

/**
 * Gives back what nobody uses any more. A question for the same that is under way is answered with the same grant, and so
 * is waited for: whoever asked has it then. What is not held any more need not be given back, and that is no fault.
 */
export async function releaseGrant(session: LockSession, grant: HeldGrant, note?: string): Promise<void> {
  if (grant.isOver) return;
  await session.turns.alone(setOf(grant.paths), async () => {
    if (grant.handleCount > 0 || isAwaited(session, grant)) return;
    const isHeld = session.grants.get(grant.fence) === grant;
    grant.end();
    if (isHeld) await release(session, grant, note);
  });
}

/** Granted to several who wait together, of whom not all have taken it up. */
function isAwaited({ tickets }: LockSession, grant: HeldGrant): boolean {
  return grant.ticket !== undefined && tickets.get(grant.ticket)?.held === grant;
}

type Granted = Pick<HeldGrant, "fence" | "paths">;

/** Gives back what came when its handle had been released already, unless another one has it. */
export function releaseLate(session: LockSession, granted: Granted): Promise<void> {
  return session.turns.alone(setOf(granted.paths), async () => {
    if (!session.grants.has(granted.fence)) await release(session, granted);
  });
}

/** If the answer is lost it goes on trying: a heartbeat would renew what nobody wants any more. */
async function release(session: LockSession, { fence, paths }: Granted, note?: string): Promise<void> {
  const what = note === undefined ? { fence } : { fence, note };
  try {
    await session.run("release-lock", what);
  } catch (error) {
    if (codeOf(error) === "lock_not_held" || codeOf(error) === "agent_unknown") return;
    if (mayWorkLater(error)) session.leftovers.add(setOf(paths), { kind: "grant", ...what, isInDoubt: true });
    throw error;
  }
}
