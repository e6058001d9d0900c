import type { Granted, LeftBefore, Queued } from "../../../contract/locks.ts";
import type { HeldGrant } from "./held-grant.ts";
import { LockUsageError } from "./lock-errors.ts";
import { codeOf } from "../refusals.ts";
import type { LockSession } from "../session/session.ts";

/** How a lock was left before. The answer that gave it has told; if an event gave it, it is asked for now. */
export async function leftBefore(session: LockSession, grant: HeldGrant): Promise<readonly LeftBefore[]> {
  const left = grant.leftBefore ?? (await accept(session, grant));
  if (left !== undefined) return left;
  throw grant.lost ?? new LockUsageError("the lock was released: ask how it was left before while you have it");
}

/** A command, since a node that only reads may not have heard of the grant yet. If it is refused, the lock is lost. */
async function accept(session: LockSession, grant: HeldGrant): Promise<readonly LeftBefore[] | undefined> {
  if (grant.state === "lost" || grant.state === "over") return undefined;
  try {
    const answer = (await session.run("accept-lock", { ticket: grant.ticket })) as Granted | Queued;
    if (!answer.granted) return undefined;
    session.accepted(grant, answer);
    return answer.left_before;
  } catch (error) {
    if (codeOf(error) !== "ticket_unknown") throw error;
    await session.notHeld(grant);
    return undefined;
  }
}
