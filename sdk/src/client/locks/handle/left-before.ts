import type { Granted, LeftBefore, Queued } from "../../operation-output.ts";
import type { HeldGrant } from "./held-grant.ts";
import { LockUsageError } from "./lock-errors.ts";
import { refusalCodeOf } from "../closed-error.ts";
import type { LockSession } from "../session/session.ts";

/**
 * How the previous lock ended. The reply of the grant has it. If an event reported the grant, the client asks for it
 * here.
 */
export async function leftBefore(session: LockSession, grant: HeldGrant): Promise<readonly LeftBefore[]> {
  const left = grant.leftBefore ?? (await accept(session, grant));
  if (left !== undefined) return left;
  throw grant.lost ?? new LockUsageError("the lock is released: ask how the previous lock ended while you hold it");
}

/** A command, since a node that only reads may not have folded the grant yet. If it is refused, the lock is lost. */
async function accept(session: LockSession, grant: HeldGrant): Promise<readonly LeftBefore[] | undefined> {
  if (grant.state === "lost" || grant.state === "over") return undefined;
  try {
    const answer = (await session.run("accept-lock", { ticket: grant.ticket })) as Granted | Queued;
    if (!answer.granted) return undefined;
    session.accepted(grant, answer);
    return answer.leftBefore;
  } catch (error) {
    if (refusalCodeOf(error) !== "ticket_unknown") throw error;
    await session.notHeld(grant);
    return undefined;
  }
}
