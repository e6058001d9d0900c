import type { lockOperations } from "@holdfast/sdk/contract";
import type { DecideContext, Decision } from "../../../machine/feature.ts";
import { done } from "../../../machine/refusal.ts";
import type { Decide } from "../../rule-of.ts";
import { acceptOnUse } from "./accept-lock.ts";
import { waitedForChildren } from "../../agents/agent-table.ts";
import { deny } from "../queue/deny.ts";
import { blockerNow, enqueue, refuseDeadlock } from "../queue/enqueue.ts";
import { nextFence, upgradeRank } from "../tables/fence.ts";
import { findDeadlock } from "../queue/find-deadlock.ts";
import type { Deadlock, CycleStep } from "../queue/find-deadlock.ts";
import { grantView } from "../queue/free-grant.ts";
import { withOrder } from "../queue/grant-next.ts";
import { findHeld } from "../tables/find-held.ts";
import { lockChangedEvents } from "../tables/lock-events.ts";
import { ticketTable } from "../tables/lock-tables.ts";
import type { GrantRow, WaitRow } from "../tables/lock-tables.ts";
import { strength } from "../tables/modes.ts";
import type { PathLock } from "../tables/modes.ts";
import { countsOf } from "../tables/count-owner.ts";
import { joinRequest } from "./join-request.ts";
import { lockLimits } from "../tables/settings.ts";
import { isRefused, refused } from "./owner.ts";
import { ahead, queuesFor } from "../queue/blockers.ts";
import type { LockRequest } from "../queue/blockers.ts";

export const upgradeLock: Decide<(typeof lockOperations)["upgrade-lock"]> = (input, context) => {
  const row = findHeld(input, context);
  if (isRefused(row)) return row;
  const paths = row.paths.map((locked) => ({ ...locked, mode: "write" as const }));
  return upgradeGrant(context, row, paths, { wait: input.wait === true });
};

/**
 * Strengthens a grant atomically: its owner never loses it, and no other owner gets it in between. An upgrade goes
 * ahead of all other tickets. Two upgrades would wait for each other, so the second is refused at once.
 */
export function upgradeGrant(
  context: DecideContext,
  row: GrantRow,
  wanted: readonly PathLock[],
  options: { readonly wait: boolean },
): Decision {
  const { position } = context;
  const paths = row.paths.map((locked, index) => {
    const mode = wanted[index]?.mode ?? locked.mode;
    return strength[mode] > strength[locked.mode] ? { ...locked, mode } : locked;
  });
  const strengthened = paths.filter((locked, index) => locked.mode !== row.paths[index]?.mode);
  if (strengthened.length === 0) return unchanged(context, row);
  const request = { owner: row.owner, rank: upgradeRank(position), paths: strengthened };
  if (row.upgrading !== undefined) return refused("upgrade_refused", { fence: row.fence, ticket: row.upgrading });
  const rival = otherUpgrade(context, request);
  if (rival !== undefined) return refuseSecond(context, row, rival, options);
  const blocker = blockerNow(context, request);
  if (blocker !== undefined && !options.wait) return deny(context, request, "other owners share the lock");
  if (blocker !== undefined) {
    const queued = {
      request: { ...request, paths },
      blocker,
      terms: row,
      times: { leaseMs: lockLimits.ticketMs },
      upgrades: row.fence,
    };
    const decision = enqueue(context, queued);
    if (decision.outcome.kind === "done") acceptOnUse(context, row);
    return decision;
  }
  const deadlock = upgradeDeadlock(context, request);
  if (deadlock !== undefined) return refuseDeadlock(context, request, deadlock);
  acceptOnUse(context, row);
  const fence = nextFence(context);
  const { fence: _fence, ...view } = grantView(context, { ...row, paths });
  return {
    outcome: done({ granted: true, fence, expires_at: view["expires_at"] ?? "" }),
    events: lockChangedEvents(context.state, "lock.upgraded", row, {
      fence,
      owner: row.owner,
      paths: withOrder(context, paths),
    }),
    attachment: { ...view, still_held: true },
  };
}

/**
 * The cycle that an immediately granted upgrade closes. Tickets that were compatible with the weaker mode would then
 * wait for the owner. It may wait for them with another ticket or for its child.
 */
function upgradeDeadlock({ state }: DecideContext, request: LockRequest): Deadlock | undefined {
  const isWaiting =
    countsOf(state, request.owner).ticketCount > 0 || waitedForChildren(state, request.owner).length > 0;
  return isWaiting ? findDeadlock(state, request) : undefined;
}

function unchanged(context: DecideContext, row: GrantRow): Decision {
  joinRequest(context, row);
  acceptOnUse(context, row);
  const { fence, expires_at, ...view } = grantView(context, row);
  return {
    outcome: done({ granted: true, fence: fence ?? "", expires_at: expires_at ?? "" }),
    events: [],
    attachment: { ...view, still_held: true },
  };
}

/**
 * Each of the two would wait for the other to release the shared lock. The audit trail records an upgrade that would
 * have waited.
 */
function refuseSecond(context: DecideContext, row: GrantRow, rival: WaitRow, options: { wait: boolean }): Decision {
  const refusal = refused("upgrade_refused", { fence: row.fence, owner_id: rival.owner });
  if (!options.wait) return refusal;
  const { owner } = row;
  const path = row.paths[0]?.path ?? "";
  const cycle: CycleStep[] = [
    { owner_id: owner, waits_for: path, path: rival.path, blocked_by: rival.owner, as: "holder" },
    { owner_id: rival.owner, waits_for: rival.path, path, blocked_by: owner, as: "holder" },
  ];
  const { events } = refuseDeadlock(context, { owner, paths: row.paths }, { cycle, isTooLarge: false });
  return { ...refusal, events, isAudited: true };
}

/** Another owner's upgrade that already waits at the same path. */
function otherUpgrade({ state }: DecideContext, request: { owner: string; rank: number; paths: readonly PathLock[] }) {
  for (const wanted of request.paths) {
    for (const line of queuesFor(wanted)) {
      for (const mode of ["write", "upgradeable"] as const) {
        for (const row of ahead(state, { ...line, mode }, request)) {
          if (state.rows(ticketTable).get(row.ticket)?.upgrades !== undefined) return row;
        }
      }
    }
  }
  return undefined;
}
