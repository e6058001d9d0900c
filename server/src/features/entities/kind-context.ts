import { pathOfEntity } from "@holdfast/sdk/contract";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { DecideContext } from "../../machine/feature.ts";
import type { StateReader } from "../../machine/state.ts";
import { blockersAt } from "../locks/for-features/blockers-at.ts";
import { holdsLock } from "../locks/for-features/holds-lock.ts";
import type { LockNeed } from "../locks/for-features/holds-lock.ts";
import { findEntity, isLive } from "./entity-table.ts";
import type { KindRefusal } from "./kind-refusal.ts";
import { refuse } from "./kind-refusal.ts";

type PathNeed = Partial<Pick<LockNeed, "mode" | "scope">>;

/** The context of a kind's rules. */
export interface KindContext {
  /** The operation that changes the entity. */
  readonly operation: string;
  /** For packs, which keep tables about their entities. */
  readonly state: StateReader;
  /** The id of the entity. */
  readonly id: string;
  /** The path of the lock that guards the entity. */
  readonly path: string;
  readonly time: number;
  readonly principal: string;
  readonly agent: string | undefined;
  /** The value of another entity at this position. */
  readonly get: (type: string, id: string) => Json | undefined;
  /**
   * Whether the caller holds a lock that covers the need, by its agent or by the fence that it sent. By default a write
   * lock of the record alone.
   */
  readonly holdsLock: (path: string, need?: PathNeed) => boolean;
  /** The refusal `lock_required` if the caller lacks one of these locks. It names their holders. */
  readonly requireLocks: (paths: readonly (PathNeed & { readonly path: string })[]) => KindRefusal | undefined;
}

/** The entity that a rule decides about, and the fence of the command. */
interface RuledEntity {
  readonly type: string;
  readonly id: string;
  readonly fence?: string | undefined;
}

export function kindContext(context: DecideContext, { type, id, fence }: RuledEntity): KindContext {
  const { state, command } = context;
  const needOf = ({ mode = "write", scope = "self" }: PathNeed): LockNeed => ({ mode, scope, fence });
  const holds = (path: string, need: PathNeed = {}): boolean => holdsLock(context, path, needOf(need));
  return {
    id,
    path: pathOfEntity(type, id),
    operation: command.operation,
    state,
    time: context.time,
    principal: command.principal,
    agent: command.agent,
    get(otherType, otherId) {
      const row = findEntity(state, { type: otherType, id: otherId });
      return isLive(row) ? row.value : undefined;
    },
    holdsLock: holds,
    requireLocks(paths) {
      const missing = paths.filter(({ path, ...need }) => !holds(path, need));
      return missing.length === 0 ? undefined : lockRequired(context, missing, needOf);
    },
  };
}

/** Each missing lock with its holders, and the `paths` that acquire all of them. */
function lockRequired(
  context: DecideContext,
  paths: readonly (PathNeed & { readonly path: string })[],
  needOf: (need: PathNeed) => LockNeed,
): KindRefusal {
  const missing = paths.map(({ path, ...need }): JsonObject => {
    const { mode, scope, fence } = needOf(need);
    const holders = blockersAt(context, path, { mode, scope, fence, count: "holders" })?.holders ?? [];
    return { path, mode, scope, holders: holders };
  });
  const acquire = missing.map(({ holders: _holders, ...lock }) => lock);
  return refuse("lock_required", { missing, acquire });
}
