/** The rules about targets: the lock that a reader of a project needs, and the rules that other packs register. */
import { isAtOrBelow } from "@holdfast/sdk/base/is-at-or-below";
import { guardOf, isOfProject } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { refuse } from "../../features/entities/kind-refusal.ts";
import type { KindRefusal } from "../../features/entities/kind-refusal.ts";
import { blockersAt } from "../../features/locks/for-features/blockers-at.ts";
import { holdsLock } from "../../features/locks/for-features/holds-lock.ts";
import type { LockContext } from "../../features/locks/for-features/holds-lock.ts";
import type { Decision } from "../../machine/feature.ts";
import { refusal } from "../../machine/refusal.ts";

/** The use of a target that a rule is asked about. `list` shows the row of a version, and no file of it. */
export interface TargetUse {
  readonly use: "open" | "commit" | "read" | "list" | "delete";
  readonly target: string;
  /** The fence that the caller presents. */
  readonly fence?: string | undefined;
}

/** A rule of a pack about the targets at or below a path. The code of its refusal begins with the name of its pack. */
export interface TargetRule {
  readonly prefix: string;
  readonly rule: (context: LockContext, use: TargetUse) => KindRefusal | undefined;
}

/** The rules of this pack and those that other packs registered. */
export interface TargetRules {
  /** Whether any rule is about this target. */
  readonly concern: (target: string) => boolean;
  readonly refusalOf: (context: LockContext, use: TargetUse) => KindRefusal | undefined;
}

export function targetRules(registered: readonly TargetRule[]): TargetRules {
  return {
    concern: (target) => isOfProject(target) || registered.some(({ prefix }) => isAtOrBelow(target, prefix)),
    refusalOf(context, use) {
      for (const { prefix, rule } of registered) {
        const refused = isAtOrBelow(use.target, prefix) ? rule(context, use) : undefined;
        if (refused !== undefined) return refused;
      }
      return use.use === "read" ? readLockRefusal(context, use) : undefined;
    },
  };
}

/** A project, map or sketch is read under its lock, and so are the files in it. */
function readLockRefusal(context: LockContext, { target, fence }: TargetUse): KindRefusal | undefined {
  if (!isOfProject(target)) return undefined;
  const need = { path: guardOf(target), mode: "read", scope: "self" } as const;
  if (holdsLock(context, need.path, { ...need, fence })) return undefined;
  const { holders = [] } = (blockersAt(context, need.path, { ...need, count: "holders", fence }) ?? {}) as JsonObject;
  return refuse("files.lock_required", { missing: [{ ...need, holders }], acquire: [need] });
}

/** The refusal of a use as a decision; undefined if it is allowed. */
export function decideTarget(rules: TargetRules, context: LockContext, use: TargetUse): Decision | undefined {
  const refused = rules.refusalOf(context, use);
  if (refused === undefined) return undefined;
  const { code, data, isAudited } = refused;
  return { outcome: refusal(code, data), events: [], isAudited };
}
