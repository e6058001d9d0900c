import { defined } from "@holdfast/sdk/base/defined";
import type { lockOperations } from "@holdfast/sdk/contract";
import type { Event } from "../../../machine/entry.ts";
import { done } from "../../../machine/refusal.ts";
import type { StateReader } from "../../../machine/state.ts";
import type { Decide } from "../../rule-of.ts";
import { coHoldersOf } from "../tables/co-holders.ts";
import { blockingHolders } from "../queue/deny.ts";
import { notHeld } from "../tables/find-held.ts";
import { lockSubject } from "../tables/lock-events.ts";
import { grantTable } from "../tables/lock-tables.ts";
import type { HoldRow, ReleaseRequestRow } from "../tables/lock-tables.ts";
import { pathFault } from "../tables/path-fault.ts";
import { isRefused, ownerOf, refused } from "./owner.ts";

/**
 * Asks every holder that blocks a write to release its lock. The holders see the author and the reason, and keep their
 * locks. The author is the agent or the principal of the command: holders obey some authors, so no caller may choose
 * its name. `owner_id` is shown next to it. A request equal to the author's open one is not recorded again.
 */
export const requestRelease: Decide<(typeof lockOperations)["request-release"]> = (input, context) => {
  const { state, command } = context;
  const by = command.agent ?? command.principal;
  const caller = ownerOf({ owner_id: input.owner_id ?? by }, context);
  if (isRefused(caller)) return caller;
  const reason = pathFault(input.path);
  if (reason !== undefined) return refused("path_invalid", { path: input.path, reason });
  const paths = [{ path: input.path, mode: "write", scope: "tree" } as const];
  const holders = blockingHolders(state, { owner: caller.owner, rank: Infinity, paths });
  if (holders.length === 0) return notHeld(caller.owner, { path: input.path });
  const request: ReleaseRequestRow = {
    by,
    ...defined({ owner: caller.owner === by ? undefined : caller.owner }),
    reason: input.reason,
  };
  const events = releaseRequestEvents(state, holders, request);
  return { outcome: done({ asked: [...new Set(holders.map(({ owner }) => owner))] }), events, attachment: {} };
};

/** A set may block with several paths. Its grant gets one request, at the first of them. */
export function releaseRequestEvents(
  state: StateReader,
  holders: readonly HoldRow[],
  request: ReleaseRequestRow,
): readonly Event[] {
  return holders
    .filter(({ fence }, index) => holders.findIndex((hold) => hold.fence === fence) === index)
    .filter(({ fence }) => !isOpen(state, fence, request))
    .map(({ path, fence, owner }) => ({
      type: "lock.release_requested",
      subject: lockSubject(path),
      data: {
        resource_id: path,
        owner_id: owner,
        fence,
        by: request.by,
        ...defined({ by_owner: request.owner }),
        reason: request.reason,
        ...coHoldersOf(state, path, fence),
      },
    }));
}

/** True if the author's open request to this grant is the same. */
function isOpen(state: StateReader, fence: string, { by, owner, reason }: ReleaseRequestRow): boolean {
  const open = state
    .rows(grantTable)
    .get(fence)
    ?.releaseRequests?.find((request) => request.by === by);
  return open !== undefined && open.owner === owner && open.reason === reason;
}
