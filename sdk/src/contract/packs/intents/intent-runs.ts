/** The schemas of a run of bridges: its plan, its progress and its steps. */
import Type from "typebox";
import type { Static } from "typebox";
import { isoTime, line } from "../../agents.ts";
import { fence } from "../../grant.ts";
import { version } from "../../conditions.ts";

const closed = { additionalProperties: false } as const;

/** The effect of a failed bridge: the run ends, the run continues, or the bridge's own `on_error` decides. */
export const runModes = ["failfast", "continue", "selective"] as const;
export type RunMode = (typeof runModes)[number];

/** Maximum bridges of a plan. */
const bridgesMax = 64;

const count = Type.Integer({ minimum: 0 });

export const bridgeName = Type.String({
  pattern: "^[a-z][a-z0-9_-]{0,63}$",
  description: "The name of a bridge, unique in its plan: lower case, digits, `-` and `_`.",
});

/** A word that the server accepts in upper and lower case. */
export const word = (description: string) => Type.String({ minLength: 1, maxLength: 32, description });

const plannedBridge = Type.Object(
  {
    name: bridgeName,
    type: Type.Optional(Type.String({ ...line, maxLength: 64, minLength: 1, description: "The kind of bridge." })),
    on_error: Type.Optional(word("The effect of a failure in mode selective: fail or continue.")),
  },
  closed,
);

/** The plan of a run. Two plans are the same if they are the same JSON. */
export const planMembers = {
  pipeline: Type.String({ ...line, minLength: 1, maxLength: 64, description: "The name of the pipeline." }),
  bridges: Type.Array(plannedBridge, { minItems: 1, maxItems: bridgesMax, description: "The bridges, in order." }),
  mode: Type.Optional(word("The effect of a failed bridge: failfast (default), continue or selective.")),
  on_failure: Type.Optional(word("How a failed run ends: fail (default), or pause, so that it can be resumed.")),
};

export const stepError = Type.Object(
  {
    code: Type.String({ maxLength: 128 }),
    message: Type.String({ maxLength: 2_000 }),
  },
  closed,
);

const stepProgress = Type.Object(
  {
    state: Type.Enum(["started", "done", "failed"]),
    tries: count,
    crashes: count,
    started_at: isoTime,
    started_ms: Type.Integer({ description: "The start in milliseconds since 1970." }),
    ended_at: Type.Optional(isoTime),
    error: Type.Optional(stepError),
    note: Type.Optional(line),
  },
  closed,
);

export const runStates = ["running", "interrupted", "paused", "completed", "failed", "stopped"] as const;
const runState = Type.Enum([...runStates]);

const stopRequest = Type.Object({ by: Type.String(), reason: line, at: isoTime }, closed);

/** A run with its plan and its progress. */
export const intentRun = Type.Object(
  {
    number: Type.Integer({ minimum: 1 }),
    pipeline: Type.String(),
    mode: Type.String(),
    on_failure: Type.String(),
    bridges: Type.Array(plannedBridge),
    state: runState,
    current: Type.Optional(bridgeName),
    fence: Type.Optional(fence),
    owner: Type.Optional(Type.String({ description: "The owner of the lock of the run." })),
    left: Type.Optional(Type.String({ description: "How the last lock of the run ended." })),
    pause: Type.Optional(line),
    takeovers: count,
    errors: count,
    stop: Type.Optional(stopRequest),
    started_at: isoTime,
    ended_at: Type.Optional(isoTime),
    steps: Type.Record(Type.String(), stepProgress),
  },
  closed,
);
export type IntentRun = Static<typeof intentRun>;

/** A summary of an earlier run. The intent at that version has all of the run. */
export const endedRun = Type.Object(
  {
    number: Type.Integer({ minimum: 1 }),
    pipeline: Type.String(),
    mode: Type.String(),
    state: runState,
    errors: count,
    started_at: isoTime,
    ended_at: isoTime,
    version,
  },
  closed,
);
export type EndedRun = Static<typeof endedRun>;
