import type { Granted } from "../../contract/locks.ts";
import type { LockSession } from "./session.ts";

/**
 * Gives up a place in the line, and gives back what it was granted meanwhile. Whoever asks for the same again before this
 * has arrived gets the same place, and wants to keep it.
 */
export async function leaveLine(session: LockSession, ticket: string): Promise<void> {
  if (session.tickets.has(ticket)) return;
  session.unwanted.add(ticket);
  try {
    const answer = (await session.run("cancel-ticket", { ticket })) as { cancelled: string } | Granted;
    if ("granted" in answer) await session.giveBack(answer.fence);
  } finally {
    if (!session.tickets.has(ticket)) session.unwanted.delete(ticket);
  }
}
