import type { DecideContext, Decision } from "../../../machine/feature.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { liveGrant } from "../queue/free-grant.ts";
import { pathFault } from "./path-fault.ts";
import { gap, holdTable } from "./lock-tables.ts";
import type { GrantRow } from "./lock-tables.ts";
import { isRefused, ownerOf, refused } from "../rules/owner.ts";

interface HeldInput {
  readonly fence?: string;
  readonly path?: string;
  readonly owner_id?: string;
}

/** The owner's live grant that a command names by fence or by path. Overdue grants end first. */
export function findHeld(input: HeldInput, context: DecideContext): GrantRow | Decision {
  const caller = ownerOf(input, context);
  if (isRefused(caller)) return caller;
  const { owner } = caller;
  if (input.fence !== undefined) return ownGrant(context, owner, input.fence) ?? notHeld(owner, { fence: input.fence });
  const { path } = input;
  if (path === undefined)
    return refused("input_invalid", { issues: [{ pointer: "", message: "must have fence or path" }] });
  const reason = pathFault(path);
  if (reason !== undefined) return refused("path_invalid", { path, reason });
  return grantAt(context, owner, path) ?? notHeld(owner, { path });
}

export function ownGrant(context: DecideContext, owner: string, fence: string): GrantRow | undefined {
  const row = liveGrant(context, fence);
  return row?.owner === owner ? row : undefined;
}

/** The newest live grant of an owner at exactly this path. */
export function grantAt(context: DecideContext, owner: string, path: string): GrantRow | undefined {
  const rows = context.state.rows(holdTable).scan("owner", { prefix: `${owner}${gap}${path}${gap}`, limit: 100 });
  for (const { fence } of rows.toSorted((a, b) => (a.seq < b.seq ? 1 : -1))) {
    const row = liveGrant(context, fence);
    if (row !== undefined) return row;
  }
  return undefined;
}

export function notHeld(owner: string, data: JsonObject): Decision {
  return refused("lock_not_held", { ...data, owner_id: owner });
}
