/** The strategies by which operations of intents treat locks of other owners, and the guide to choose one. */

export const lockStrategies = ["pessimistic", "optimistic", "none"] as const;
export type LockStrategy = (typeof lockStrategies)[number];

/** The operations of intents that have a strategy, with the strategy that is in force unless an operator sets another. */
export const defaultStrategies = {
  update_status: "pessimistic",
  re_evaluate: "optimistic",
  update_payload: "optimistic",
  pipeline_execute: "pessimistic",
  audit_log: "none",
} as const satisfies Readonly<Record<string, LockStrategy>>;

export type StrategyName = keyof typeof defaultStrategies;

/** A run needs its lock, and an audit event is part of the entry that it describes. So these two cannot change. */
export const fixedStrategies: readonly StrategyName[] = ["pipeline_execute", "audit_log"];

/** The properties of an operation that decide which strategy fits it. */
export interface StrategyCase {
  /** Whether the operation can be repeated without another effect. */
  readonly idempotent: boolean;
  /** Whether many callers change the same intent at the same time. */
  readonly contended: boolean;
  /** Whether an outdated intent would do harm. */
  readonly critical: boolean;
}

/** The decision tree of the strategy guide. `none`: resolve the conflict in the application. */
export function strategyFor({ idempotent, contended, critical }: StrategyCase): LockStrategy {
  if (idempotent) return contended ? "pessimistic" : "optimistic";
  return critical ? "pessimistic" : "none";
}
