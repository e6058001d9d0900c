import Type from "typebox";
import { fixedStrategies } from "./lock-strategies.ts";
import type { StrategyName } from "./lock-strategies.ts";
import { word } from "./intent-runs.ts";

const closed = { additionalProperties: false } as const;

const strategyWord = word("pessimistic, optimistic or none.");

const strategies = Type.Object(
  {
    update_status: strategyWord,
    re_evaluate: strategyWord,
    update_payload: strategyWord,
    pipeline_execute: strategyWord,
    audit_log: strategyWord,
  } satisfies Readonly<Record<StrategyName, unknown>>,
  closed,
);

const numbers = {
  max_tries: Type.Integer({ minimum: 1, maximum: 20, description: "Tries of a conditional re-evaluation." }),
  retry_base_ms: Type.Integer({ minimum: 1, maximum: 60_000, description: "Base of the delay between these tries." }),
  retry_jitter_ms: Type.Integer({ minimum: 0, maximum: 10_000, description: "Jitter of that delay." }),
  lock_timeout_ms: Type.Integer({ minimum: 0, maximum: 60_000, description: "How long a client waits for a lock." }),
  crash_limit: Type.Integer({ minimum: 0, maximum: 100, description: "Crashes of a step before it counts as failed." }),
  ended_days: Type.Integer({
    minimum: 1,
    maximum: 3_650,
    description: "Days after which an ended intent leaves the state. Reads find it in the journal.",
  }),
};

/** The settings that operators change. Absent members stay as they are. */
export const intentSettings = Type.Object(
  {
    strategies: Type.Optional(Type.Partial(strategies, closed)),
    ...Type.Partial(Type.Object(numbers)).properties,
  },
  { ...closed, minProperties: 1 },
);

/** The settings in force. */
export const strategiesInForce = Type.Object(
  {
    strategies,
    fixed: Type.Array(Type.Enum([...fixedStrategies])),
    ...numbers,
  },
  closed,
);

export interface IntentNumbers {
  readonly max_tries: number;
  readonly retry_base_ms: number;
  readonly retry_jitter_ms: number;
  readonly lock_timeout_ms: number;
  readonly crash_limit: number;
  readonly ended_days: number;
}

export const defaultNumbers: IntentNumbers = {
  max_tries: 3,
  retry_base_ms: 100,
  retry_jitter_ms: 50,
  lock_timeout_ms: 5_000,
  crash_limit: 3,
  ended_days: 30,
};
