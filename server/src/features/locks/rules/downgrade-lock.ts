import type { lockOperations } from "@holdfast/sdk/contract";
import { done } from "../../../machine/refusal.ts";
import type { Decide } from "../../rule-of.ts";
import { acceptOnUse } from "./accept-lock.ts";
import { nextFence } from "../tables/fence.ts";
import { grantView } from "../queue/free-grant.ts";
import { cancelQueuedTicket, grantNext, withOrder } from "../queue/grant-next.ts";
import { findHeld } from "../tables/find-held.ts";
import { lockChangedEvents } from "../tables/lock-events.ts";
import { strength } from "../tables/modes.ts";
import { isRefused } from "./owner.ts";
import { breakReleaseDeadlocks } from "../queue/break-release-deadlocks.ts";

/** Weakens a lock in one step. Waiting readers may be granted, but no waiting writer. */
export const downgradeLock: Decide<(typeof lockOperations)["downgrade-lock"]> = (input, context) => {
  const row = findHeld(input, context);
  if (isRefused(row)) return row;
  const paths = row.paths.map((locked) =>
    strength[input.mode] < strength[locked.mode] ? { ...locked, mode: input.mode } : locked,
  );
  const isWeaker = paths.some((locked, index) => locked !== row.paths[index]);
  let { fence } = row;
  acceptOnUse(context, row);
  if (isWeaker) {
    if (row.upgrading !== undefined) cancelQueuedTicket(context, row.upgrading, "downgraded");
    // The fence is computed after the cancellation, which may grant other locks. Each grant of an entry has its own
    // fence.
    fence = nextFence(context);
    const to = { fence, owner: row.owner, paths: withOrder(context, paths) };
    const events = lockChangedEvents(context.state, "lock.downgraded", row, to);
    for (const event of events) context.emit(event);
    grantNext(context, row.blockerId);
    breakReleaseDeadlocks(context, row.owner, row.paths);
  }
  const { expires_at, ...view } = grantView(context, { ...row, fence, paths });
  return { outcome: done({ fence, expires_at: expires_at ?? "" }), events: [], attachment: view };
};
