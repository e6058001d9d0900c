/** The locks that a mutation needs, and the refusals if they are missing or held by others. */
import { refusal } from "../../machine/refusal.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { blockersAt } from "../../features/locks/for-features/blockers-at.ts";
import { holdsLock } from "../../features/locks/for-features/holds-lock.ts";
import type { Mode } from "../../features/locks/tables/modes.ts";
import { conflictingHolds } from "../../features/locks/queue/blockers.ts";
import { holderView } from "../../features/locks/queue/deny.ts";
import { liveGrant } from "../../features/locks/queue/free-grant.ts";
import { grantTable } from "../../features/locks/tables/lock-tables.ts";
import type { HoldRow } from "../../features/locks/tables/lock-tables.ts";
import { itemPath, parseSubject, programPath } from "./program-value.ts";

interface FunctionLocks {
  readonly programId: string;
  readonly functions: readonly string[];
  readonly mode: Mode;
  readonly fence: string | undefined;
}

/** Refuses a mutation without the locks of these functions. A stronger lock, or a lock of the whole program, covers them. */
export function missingLocks(context: DecideContext, need: FunctionLocks): Decision | undefined {
  const { programId, mode, fence } = need;
  const lacks = (id: string): boolean =>
    !holdsLock(context, itemPath(programId, `function/${id}`), { mode, scope: "self", fence });
  const functions = need.functions.filter(lacks);
  if (functions.length === 0) return undefined;
  const missing = functions.map((id): JsonObject => {
    const path = itemPath(programId, `function/${id}`);
    const holders = blockersAt(context, path, { mode, count: "holders", fence })?.holders ?? [];
    return { function_id: id, path, mode, scope: "self", holders: holders };
  });
  const acquire = functions.map((id): JsonObject => ({
    path: itemPath(programId, `function/${id}`),
    ...{ mode, scope: "self" },
  }));
  const batch = { locks: functions.map((id): JsonObject => ({ function_id: id, mode })) };
  return { outcome: refusal("programs.lock_required", { missing, acquire, batch }), events: [] };
}

/** Refuses a caller without the lock of the whole program. */
export function missingProgramLock(
  context: DecideContext,
  { programId, fence }: { readonly programId: string; readonly fence: string | undefined },
): Decision | undefined {
  const path = programPath(programId);
  if (holdsLock(context, path, { mode: "write", scope: "tree", fence })) return undefined;
  const holders = blockersAt(context, path, { scope: "tree", count: "holders", fence })?.holders ?? [];
  const lock = { path, mode: "write", scope: "tree" } as const;
  const missing = [{ ...lock, holders: holders as unknown as Json }];
  return { outcome: refusal("programs.lock_required", { missing, acquire: [lock] }), events: [] };
}

interface StructureChange {
  readonly programId: string;
  /** Functions that are removed, renamed or moved. */
  readonly functions: readonly string[];
  /** Whether a function of this item is concerned too. Undefined: no others are concerned. */
  readonly isConcerned: ((functionId: string) => boolean) | undefined;
  readonly owner: string;
  readonly fence: string | undefined;
}

/** Maximum foreign locks of a program that a structure change examines. */
const holdsMax = 10_000;

/** Maximum holders that a refusal names, and maximum delay of a retry. */
const namedMax = 10;
const retryMsMax = 5_000;

/**
 * Refuses a structure change while another agent holds the structure, the whole program, or any lock on a function
 * concerned. It is decided as if its entry took the lock of the structure.
 */
export function structureLocked(context: DecideContext, change: StructureChange): Decision | undefined {
  const { programId, functions, isConcerned, owner, fence } = change;
  const paths = [programPath(programId), ...functions.map((id) => itemPath(programId, `function/${id}`))];
  for (const path of paths) {
    const denial = blockersAt(context, path, { mode: "write", scope: "self", count: "holders", fence });
    if (denial !== undefined) return lockedBy(context, denial.holders);
  }
  if (isConcerned === undefined) return undefined;
  const below = { path: programPath(programId), mode: "write", scope: "tree" } as const;
  const holds = conflictingHolds(context.state, below, owner, holdsMax + 1);
  if (holds.length > holdsMax) return lockedBy(context, holds.slice(0, namedMax).map(viewIn(context)));
  const isBlocking = ({ path, fence: held }: HoldRow): boolean => {
    const item = parseSubject(path)?.item;
    return item?.kind === "function" && isConcerned(item.id) && liveGrant(context, held) !== undefined;
  };
  const blocking = holds.filter(isBlocking).slice(0, namedMax);
  return blocking.length === 0 ? undefined : lockedBy(context, blocking.map(viewIn(context)));
}

const viewIn =
  ({ state }: DecideContext) =>
  (row: HoldRow): JsonObject =>
    holderView(state, row);

function lockedBy({ state, time }: DecideContext, holders: readonly JsonObject[]): Decision {
  const grants = holders.map(({ fence }) => state.rows(grantTable).get(fence as string));
  const ends = grants.map((grant) => (grant?.expiresAt ?? Infinity) - time).filter((left) => left > 0);
  const retry_after_ms = Math.max(1, Math.min(retryMsMax, ...ends));
  return { outcome: refusal("programs.structure_locked", { holders, retry_after_ms }), events: [] };
}
