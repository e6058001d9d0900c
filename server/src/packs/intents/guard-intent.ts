/** The checks before the own rules of each write: the intent exists, then its fence, its lock and its version. */
import { defined } from "@holdfast/sdk/base/defined";
import type { LockStrategy, StrategyName } from "@holdfast/sdk/contract";
import { missing } from "../../features/entities/change.ts";
import { missingExpectation, unmetCondition } from "../../features/entities/conditions.ts";
import { findEntity } from "../../features/entities/entity-table.ts";
import { unguardedWrite } from "../../features/locks/guard-write.ts";
import { refused } from "../../features/locks/rules/owner.ts";
import { blockersAt } from "../../features/locks/for-features/blockers-at.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { intentKind } from "./intent-kind.ts";
import { intentNumbers, strategyOf } from "./intent-settings-table.ts";
import { findIntent, intentPath, intentType } from "./intent-value.ts";
import type { FoundIntent } from "./intent-value.ts";

/** The target of a write with its conditions, as the contract defines them. */
export interface IntentTarget {
  readonly id: string;
  readonly fence?: string;
  readonly expected_version?: number;
  readonly expected_revision?: string;
  readonly if_unchanged?: readonly (string | { readonly pointer: string; readonly value?: unknown })[];
}

/** The target without the other members of an input. */
export function intentTarget(input: IntentTarget): IntentTarget {
  const { id, fence, expected_version, expected_revision, if_unchanged } = input;
  return defined({ id, fence, expected_version, expected_revision, if_unchanged });
}

/** The version or revision that a step or a run expects. Their fence is checked by their own rules. */
export function expectedIntent({ id, expected_version, expected_revision }: IntentTarget): IntentTarget {
  return defined({ id, expected_version, expected_revision });
}

export function guardIntent(context: DecideContext, target: IntentTarget, name: StrategyName): FoundIntent | Decision {
  const found = existingIntent(context, target);
  if ("outcome" in found) return found;
  return lockRefusal(context, target, strategyOf(context.state, name)) ?? versionFault(context, target) ?? found;
}

/** The intent, if it exists and a fence that was sent is live. */
export function existingIntent(context: DecideContext, target: IntentTarget): FoundIntent | Decision {
  const { id, fence } = target;
  const found = findIntent(context.state, id);
  const conditions = { ...target, type: intentType };
  if (found === undefined) return missing(findEntity(context.state, conditions), conditions);
  return (
    missingExpectation(conditions, context) ??
    (fence === undefined ? undefined : unguardedWrite(intentPath(id), fence, context)) ??
    found
  );
}

/** Refuses a version that differs. The conflict is recorded and explains itself. */
export function versionFault(context: DecideContext, target: IntentTarget): Decision | undefined {
  const conditions = { ...target, type: intentType };
  return unmetCondition(findEntity(context.state, conditions), conditions, context, intentKind);
}

/**
 * Refuses a write while another owner holds the lock. A pessimistic write also waits behind queued tickets. The refusal
 * contains the policy, so that a client needs no further read.
 */
export function lockRefusal(
  context: DecideContext,
  { id, fence }: IntentTarget,
  strategy: LockStrategy,
): Decision | undefined {
  if (strategy === "none") return undefined;
  const count = strategy === "pessimistic" ? "queue" : "holders";
  const denial = blockersAt(context, intentPath(id), { count, fence });
  if (denial === undefined) return undefined;
  const { max_tries, retry_base_ms, retry_jitter_ms, lock_timeout_ms } = intentNumbers(context.state);
  const policy = { strategy, max_tries, retry_base_ms, retry_jitter_ms, lock_timeout_ms };
  return refused("intents.lock_timeout", { ...denial, ...policy, intent_id: id });
}
