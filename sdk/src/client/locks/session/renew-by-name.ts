import type { Grant } from "../../operation-output.ts";
import { pause } from "../../../base/pause.ts";
import { backoffMs } from "../../../base/backoff-ms.ts";
import { clockPoint } from "../handle/held-grant.ts";
import type { HeldGrant } from "../handle/held-grant.ts";
import type { Holdings } from "../handle/holdings.ts";
import type { HeartbeatResult } from "../heartbeats/heartbeats.ts";

/**
 * Renews this grant by its fence, which a heartbeat does not name. The reply says whether it is held, and for how long.
 */
export async function renewByName(session: Holdings, grant: HeldGrant): Promise<HeartbeatResult["refusal"]> {
  const { caller, clock, ownerId } = session;
  const sentAt = clockPoint(clock);
  const { fence } = grant;
  const { outcome } = await caller.once("renew-lock", ownerId === undefined ? { fence } : { fence, ownerId: ownerId });
  if (outcome.kind === "done") session.renewed(grant, outcome.data as Grant, sentAt);
  else if (outcome.code === "lock_not_held" && grant.fence === fence) await session.notHeld(grant);
  else return outcome;
  return undefined;
}

/** Asks the server about a lease that may have ended, until it is certain again or the time is up. */
export async function confirmLease(session: Holdings, grant: HeldGrant): Promise<void> {
  const { clock } = session;
  for (let tried = 1; grant.state === "uncertain"; tried += 1) {
    await renewByName(session, grant);
    if (grant.isCertain || grant.isOver) return;
    await pause(clock, backoffMs({ baseMs: 50, capMs: 1_000 }, tried, clock.random()), { keepAlive: false });
  }
}
