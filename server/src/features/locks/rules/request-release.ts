import type { lockOperations } from "@holdfast/sdk/contract";
import type { Event } from "../../../machine/entry.ts";
import { done } from "../../../machine/refusal.ts";
import type { Decide } from "../../rule-of.ts";
import { coHoldersOf } from "../tables/co-holders.ts";
import { blockingHolders } from "../queue/deny.ts";
import { notHeld } from "../tables/find-held.ts";
import { lockSubject } from "../tables/lock-events.ts";
import { pathFault } from "../tables/path-fault.ts";
import { isRefused, ownerOf, refused } from "./owner.ts";

/**
 * Asks every holder that blocks a write to release its lock. The holders see the author and the reason, and keep their
 * locks.
 */
export const requestRelease: Decide<(typeof lockOperations)["request-release"]> = (input, context) => {
  const caller = ownerOf({ owner_id: input.owner_id ?? context.command.agent ?? context.command.principal }, context);
  if (isRefused(caller)) return caller;
  const reason = pathFault(input.path);
  if (reason !== undefined) return refused("path_invalid", { path: input.path, reason });
  const paths = [{ path: input.path, mode: "write", scope: "tree" } as const];
  const holders = blockingHolders(context.state, { owner: caller.owner, rank: Infinity, paths });
  if (holders.length === 0) return notHeld(caller.owner, { path: input.path });
  const events: Event[] = holders.map(({ path, fence, owner }) => ({
    type: "lock.release_requested",
    subject: lockSubject(path),
    data: {
      resource_id: path,
      owner_id: owner,
      fence,
      by: caller.owner,
      reason: input.reason,
      ...coHoldersOf(context.state, path, fence),
    },
  }));
  return { outcome: done({ asked: [...new Set(holders.map(({ owner }) => owner))] }), events, attachment: {} };
};
