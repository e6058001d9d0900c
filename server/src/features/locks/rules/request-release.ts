import type { lockOperations } from "@holdfast/sdk/contract";
import type { Event } from "../../../machine/entry.ts";
import { done } from "../../../machine/refusal.ts";
import type { Decide } from "../../rule-of.ts";
import { besideOf } from "../tables/co-holders.ts";
import { holdersInTheWay } from "../queue/deny.ts";
import { notHeld } from "../tables/held.ts";
import { lockSubject } from "../tables/lock-events.ts";
import { pathFault } from "../tables/lock-path.ts";
import { isRefused, ownerOf, refused } from "./owner.ts";

/** Asks whoever is in the way of a write to give it back. The holders see who asks and why; nothing is taken. */
export const requestRelease: Decide<(typeof lockOperations)["request-release"]> = (input, context) => {
  const who = ownerOf({ owner_id: input.owner_id ?? context.command.agent ?? context.command.principal }, context);
  if (isRefused(who)) return who;
  const reason = pathFault(input.path);
  if (reason !== undefined) return refused("path_invalid", { path: input.path, reason });
  const paths = [{ path: input.path, mode: "write", scope: "tree" } as const];
  const holders = holdersInTheWay(context.state, { owner: who.owner, rank: Infinity, paths });
  if (holders.length === 0) return notHeld(who.owner, { path: input.path });
  const events: Event[] = holders.map(({ path, fence, owner }) => ({
    type: "lock.release_requested",
    subject: lockSubject(path),
    data: {
      resource_id: path,
      owner_id: owner,
      fence,
      by: who.owner,
      reason: input.reason,
      ...besideOf(context.state, path, fence),
    },
  }));
  return { outcome: done({ asked: [...new Set(holders.map(({ owner }) => owner))] }), events, attachment: {} };
};
