/** The words of intents as data: statuses and their transitions, modes of a run, and strategies. */

export const intentStatuses = ["received", "normalized", "processed", "corrected", "completed", "failed"] as const;
export type IntentStatus = (typeof intentStatuses)[number];

/** The statuses that follow each status. Decisions, documents and tests read this table. */
export const intentTransitions: Readonly<Record<IntentStatus, readonly IntentStatus[]>> = {
  received: ["normalized", "processed", "failed"],
  normalized: ["processed", "completed", "failed"],
  processed: ["processed", "corrected", "completed", "failed"],
  corrected: ["corrected", "completed", "failed"],
  completed: [],
  failed: [],
};

/** How a run continues after a bridge failed: it ends, it goes on, or the bridge's own `on_error` decides. */
export const runModes = ["failfast", "continue", "selective"] as const;
export type RunMode = (typeof runModes)[number];

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

/** The word in lower case if the list has it. Only A to Z are mapped, and nothing is trimmed. */
export function knownWord<Word extends string>(words: readonly Word[], text: string): Word | undefined {
  const lower = text.replace(/[A-Z]/gu, (letter) => letter.toLowerCase());
  return words.find((word) => word === lower);
}

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
