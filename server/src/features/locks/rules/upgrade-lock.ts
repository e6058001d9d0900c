import type { lockOperations } from "@holdfast/sdk/contract";
import type { DecideContext, Decision } from "../../../machine/feature.ts";
import { done } from "../../../machine/refusal.ts";
import type { Decide } from "../../rule-of.ts";
import { acceptOnUse } from "./accept-lock.ts";
import { denied } from "../queue/deny.ts";
import { blockerNow, enqueue, refuseDeadlock } from "../queue/enqueue.ts";
import { nextFence, rankAt } from "../tables/fence.ts";
import { findDeadlock } from "../queue/find-deadlock.ts";
import type { Deadlock, Link } from "../queue/find-deadlock.ts";
import { grantView } from "../queue/free-grant.ts";
import { withOrder } from "../queue/grant-next.ts";
import { findHeld } from "../tables/held.ts";
import { changed } from "../tables/lock-events.ts";
import { ticketTable } from "../tables/lock-tables.ts";
import type { GrantRow, WaitRow } from "../tables/lock-tables.ts";
import { strength } from "../tables/modes.ts";
import type { LockedPath } from "../tables/modes.ts";
import { countsOf } from "../tables/owner-counts.ts";
import { isRefused, refused } from "./owner.ts";
import { ahead, linesFor } from "../queue/blockers.ts";
import type { Wish } from "../queue/blockers.ts";

export const upgradeLock: Decide<(typeof lockOperations)["upgrade-lock"]> = (input, context) => {
  const row = findHeld(input, context);
  if (isRefused(row)) return row;
  const paths = row.paths.map((locked) => ({ ...locked, mode: "write" as const }));
  return upgradeGrant(context, row, paths, { wait: input.wait === true });
};

/**
 * Gives a grant stronger modes, atomically: its owner never lets go, and nobody else has it in between. An upgrade
 * goes before all others who wait; two of them would wait for each other, so the second one is refused at once.
 */
export function upgradeGrant(
  context: DecideContext,
  row: GrantRow,
  wanted: readonly LockedPath[],
  options: { readonly wait: boolean },
): Decision {
  const { position } = context;
  const paths = row.paths.map((locked, index) => {
    const mode = wanted[index]?.mode ?? locked.mode;
    return strength[mode] > strength[locked.mode] ? { ...locked, mode } : locked;
  });
  const raised = paths.filter((locked, index) => locked.mode !== row.paths[index]?.mode);
  if (raised.length === 0) return unchanged(context, row);
  const wish = { owner: row.owner, rank: rankAt(position, true), paths: raised };
  if (row.upgrading !== undefined) return refused("upgrade_refused", { fence: row.fence, ticket: row.upgrading });
  const rival = otherUpgrade(context, wish);
  if (rival !== undefined) return refuseSecond(context, row, rival, options);
  const blocker = blockerNow(context, wish);
  if (blocker !== undefined && !options.wait) return denied(context, wish, "others share the lock");
  if (blocker !== undefined) {
    const queueing = { wish: { ...wish, paths }, blocker, terms: row, ticketSeconds: undefined, upgrades: row.fence };
    const decision = enqueue(context, queueing);
    if (decision.outcome.kind === "done") acceptOnUse(context, row);
    return decision;
  }
  const deadlock = newlyTied(context, wish);
  if (deadlock !== undefined) return refuseDeadlock(context, wish, deadlock);
  acceptOnUse(context, row);
  const fence = nextFence(context);
  const { fence: _fence, ...view } = grantView(context, { ...row, paths });
  return {
    outcome: done({ granted: true, fence, expires_at: view["expires_at"] ?? "" }),
    events: changed(context.state, "lock.upgraded", row, { fence, owner: row.owner, paths: withOrder(context, paths) }),
    attachment: { ...view, still_held: true },
  };
}

/**
 * The cycle that an upgrade closes though it need not wait itself: those who wait for what went together with the weaker
 * mode would now wait for its owner, who may wait for them with another ticket.
 */
function newlyTied({ state }: DecideContext, wish: Wish): Deadlock | undefined {
  return countsOf(state, wish.owner).ticketCount === 0 ? undefined : findDeadlock(state, wish);
}

function unchanged(context: DecideContext, row: GrantRow): Decision {
  acceptOnUse(context, row);
  const { fence, expires_at, ...view } = grantView(context, row);
  return {
    outcome: done({ granted: true, fence: fence ?? "", expires_at: expires_at ?? "" }),
    events: [],
    attachment: { ...view, still_held: true },
  };
}

/** Each of the two would wait for the other to give up what it shares. Who would have waited is told in the audit trail. */
function refuseSecond(context: DecideContext, row: GrantRow, rival: WaitRow, options: { wait: boolean }): Decision {
  const refusal = refused("upgrade_refused", { fence: row.fence, owner_id: rival.owner });
  if (!options.wait) return refusal;
  const { owner } = row;
  const path = row.paths[0]?.path ?? "";
  const cycle: Link[] = [
    { owner_id: owner, waits_for: path, path: rival.path, blocked_by: rival.owner, as: "holder" },
    { owner_id: rival.owner, waits_for: rival.path, path, blocked_by: owner, as: "holder" },
  ];
  const { events } = refuseDeadlock(context, { owner, paths: row.paths }, { cycle, isTooLarge: false });
  return { ...refusal, events, isAudited: true };
}

/** Somebody else who already waits to upgrade in the same place. */
function otherUpgrade({ state }: DecideContext, wish: { owner: string; rank: number; paths: readonly LockedPath[] }) {
  for (const wanted of wish.paths) {
    for (const line of linesFor(wanted)) {
      for (const mode of ["write", "upgradeable"] as const) {
        for (const row of ahead(state, { ...line, mode }, wish)) {
          if (state.rows(ticketTable).get(row.ticket)?.upgrades !== undefined) return row;
        }
      }
    }
  }
  return undefined;
}
