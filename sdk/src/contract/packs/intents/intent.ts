/** The resource `intent`, as every operation shows it. */
import Type from "typebox";
import { isoTime, line } from "../../agents.ts";
import type { Resource } from "../resource.ts";
import { intentStatuses } from "./intent-statuses.ts";
import { endedRun, intentRun } from "./intent-runs.ts";

const closed = { additionalProperties: false } as const;

/** An id is a name of a lock path, so it has no slash. */
export const intentId = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: "^[^/\\u0000-\\u001f\\u007f]+$",
  description: "The id of the intent: 1 to 200 characters, no slash, no control characters.",
});

export const intentPayload = Type.Record(Type.String(), Type.Unknown(), { description: "The data of the intent." });

export const technicalActor = Type.String({
  ...line,
  minLength: 1,
  maxLength: 128,
  description: "The actor that audit events name. By default the name of the agent, else the principal.",
});

export const correctionId = Type.String({
  pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
  description: "Derived from the intent, the difference and the occasion.",
});

/** A correction of an intent. An erased one has only its id, number and time. */
export const correction = Type.Object(
  {
    correction_id: correctionId,
    number: Type.Integer({ minimum: 1 }),
    applied_at: isoTime,
    position: Type.Integer(),
    source: Type.Optional(Type.String()),
    reason: Type.Optional(Type.String()),
    diff: Type.Optional(Type.Unknown()),
    metadata: Type.Optional(Type.Unknown()),
    occasion: Type.Optional(Type.String()),
    erased: Type.Optional(Type.Boolean({ description: "True if its payload was erased." })),
  },
  closed,
);

const count = Type.Integer({ minimum: 0 });

export const intent = {
  pack: "intents",
  name: "intent",
  plural: "intents",
  type: "intent",
  verbs: [],
  summary: "A unit of work with a status, corrections and runs of bridges.",
  fixed: {},
  fields: { payload: intentPayload, technical_actor: technicalActor },
  shown: {
    status: Type.Enum([...intentStatuses]),
    correction_count: count,
    correction_history: Type.Array(correction, { description: "The newest corrections, in order." }),
    run_count: count,
    run: Type.Optional(intentRun),
    runs: Type.Array(endedRun, { description: "Summaries of the newest earlier runs." }),
    updated_at: isoTime,
  },
  filters: {},
  example: {
    created: { id: "order-42", payload: { text: "two chairs" } },
    changes: { payload: { text: "three chairs" } },
    filters: {},
  },
} as const satisfies Resource;
