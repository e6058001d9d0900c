/** The operations of a run: a worker in any language needs only these and the locks. */
import Type from "typebox";
import { line } from "../../agents.ts";
import { conditions, version } from "../../conditions.ts";
import { fence } from "../../grant.ts";
import { operation } from "../../operation.ts";
import { ofResource } from "../../rights.ts";
import { post } from "../../routes.ts";
import { writtenResource } from "../resource-operations.ts";
import { correctionId, intent, intentId } from "./intent.ts";
import { bridgeName, planMembers, stepError, word } from "./intent-runs.ts";
import { statusWord, writeProblems } from "./intents-operations.ts";

const closed = { additionalProperties: false } as const;
const written = writtenResource(intent);
/** The version that the worker read. A writer under the strategy `none` may have changed the intent since. */
const expected = {
  expected_version: conditions.expected_version,
  expected_revision: conditions.expected_revision,
};

const runRights = [
  { verbs: ["write"], touches: ofResource(intent) },
  { verbs: ["lock"], touches: ofResource(intent) },
] as const;

const run = operation({
  name: "intents.run",
  kind: "write",
  summary: "Starts a run of bridges under the lock of the intent, or takes over the open run of the same plan.",
  input: Type.Object(
    {
      id: intentId,
      fence,
      ...planMembers,
      resume: Type.Optional(word("auto (default): resume an open run; never: refuse it; only: start no new run.")),
      ...expected,
    },
    closed,
  ),
  output: written,
  problems: [
    ...writeProblems,
    "locks_off",
    "intents.lock_required",
    "intents.transition_invalid",
    "intents.status_unknown",
    "intents.plan_differs",
    "intents.run_open",
    "intents.run_ended",
  ],
  rights: runRights,
  routes: [post("/v1/intents/{id}/run")],
  example: { id: "order-42", fence: "1.90", pipeline: "orders", bridges: [{ name: "input" }, { name: "price" }] },
  resource: intent,
});

const advance = operation({
  name: "intents.advance",
  kind: "write",
  summary: "Ends a step of a run and begins the next one, in one entry, under the fence of the run.",
  input: Type.Object(
    {
      id: intentId,
      fence,
      run: Type.Integer({ minimum: 1 }),
      step: bridgeName,
      outcome: word("done, retry or failed."),
      changes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      to: Type.Optional(statusWord),
      correction: Type.Optional(
        Type.Object(
          {
            diff: Type.Record(Type.String(), Type.Unknown(), { minProperties: 1 }),
            source: Type.String({ ...line, minLength: 1, maxLength: 128 }),
            reason: Type.String({ ...line, minLength: 1 }),
            metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
            occasion: Type.Optional(Type.String({ ...line, minLength: 1, maxLength: 128 })),
          },
          closed,
        ),
      ),
      correction_id: Type.Optional(correctionId),
      pause: Type.Optional(Type.String({ ...line, minLength: 1 })),
      note: Type.Optional(line),
      error: Type.Optional(stepError),
      fatal: Type.Optional(Type.Boolean({ description: "The step must not be retried, in any mode." })),
      ...expected,
    },
    closed,
  ),
  output: written,
  problems: [
    ...writeProblems,
    "intents.run_ended",
    "intents.step_out_of_order",
    "intents.transition_invalid",
    "intents.status_unknown",
    "intents.too_many_corrections",
    "value_too_large",
  ],
  rights: runRights,
  routes: [post("/v1/intents/{id}/advance")],
  example: { id: "order-42", fence: "1.90", run: 1, step: "input", outcome: "done", to: "normalized" },
  resource: intent,
  sets: ["correction_id"],
});

const stop = operation({
  name: "intents.stop",
  kind: "write",
  summary: "Asks a running run to stop, or ends an interrupted or paused one at once.",
  input: Type.Object({ id: intentId, reason: Type.String({ ...line, minLength: 1 }) }, closed),
  output: Type.Object(
    { id: intentId, version, run: Type.Integer({ minimum: 1 }), state: Type.String(), requested: Type.Boolean() },
    closed,
  ),
  problems: ["entity_not_found", "entity_deleted", "intents.run_ended"],
  rights: [{ verbs: ["write"], touches: ofResource(intent) }],
  routes: [post("/v1/intents/{id}/stop")],
  example: { id: "order-42", reason: "the order was cancelled" },
});

export const intentRunOperations = [run, advance, stop];
