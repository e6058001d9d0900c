/** The operations of intents apart from those of runs. */
import Type from "typebox";
import { line } from "../../agents.ts";
import { conditions, limit, revision, version, writeFence } from "../../conditions.ts";
import { operation } from "../../operation.ts";
import { ofEachResource, ofResource, ofWholeSpace } from "../../rights.ts";
import type { Touch } from "../../rights.ts";
import { get, ifMatch, optionalIfMatch, patch, post, remove } from "../../routes.ts";
import { representation, writtenResource } from "../resource-operations.ts";
import { correction, correctionId, intent, intentId, intentPayload, technicalActor } from "./intent.ts";
import { intentStatuses } from "./intent-statuses.ts";
import { word } from "./intent-runs.ts";
import { intentSettings, strategiesInForce } from "./intent-settings.ts";

const closed = { additionalProperties: false } as const;

/** Maximum ids of one update of many intents. */
const updateManyMax = 100;

export const statusWord = word("received, normalized, processed, corrected, completed or failed, in any case.");
const written = writtenResource(intent);
export const writeProblems = [
  "entity_not_found",
  "entity_deleted",
  "fence_stale",
  "concurrency_mismatch",
  "intents.lock_timeout",
] as const;
const writeRight = { verbs: ["write"], touches: ofResource(intent) } as const;
const readRight = { verbs: ["read"], touches: ofResource(intent) } as const;
const target = { id: intentId, ...conditions };

/** A merge patch of the payload. */
const changes = Type.Record(Type.String(), Type.Unknown(), {
  minProperties: 1,
  description: "A merge patch (RFC 7396) of the payload.",
});

const create = operation({
  name: "intents.create",
  kind: "write",
  summary: "Creates an intent. Without an id the server makes one.",
  input: Type.Object(
    {
      id: Type.Optional(intentId),
      payload: intentPayload,
      status: Type.Optional(statusWord),
      technical_actor: Type.Optional(technicalActor),
      fence: writeFence,
    },
    closed,
  ),
  output: written,
  problems: [
    "entity_exists",
    "intents.retired",
    "intents.id_invalid",
    "intents.status_unknown",
    "intents.lock_timeout",
    "fence_stale",
    "check_contended",
  ],
  rights: [writeRight],
  routes: [post("/v1/intents", { status: 201 })],
  example: intent.example.created,
  resource: intent,
});

const read = operation({
  name: "intents.get",
  kind: "read",
  summary: "Reads an intent with its newest corrections: the current one, a past version, or the one at a position.",
  input: Type.Object(
    {
      id: intentId,
      version: Type.Optional(version),
      position: Type.Optional(Type.Integer({ minimum: 0, description: "The intent right after this entry." })),
      corrections: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 1_000, description: "Maximum corrections in the reply; 100 if absent." }),
      ),
    },
    closed,
  ),
  output: representation(intent),
  problems: ["entity_not_found", "entity_deleted", "version_not_found", "entry_erased", "history_archived"],
  rights: [readRight],
  routes: [get("/v1/intents/{id}")],
  example: { id: "order-42" },
  resource: intent,
});

const listedIntent = Type.Object(
  {
    id: intentId,
    status: Type.Enum([...intentStatuses]),
    run: Type.Optional(Type.String({ description: "The state of its open run." })),
    pipeline: Type.Optional(Type.String()),
  },
  closed,
);

const list = operation({
  name: "intents.list",
  kind: "read",
  summary: "Lists intents by status or by open run, ordered by id. `next` is the `after` of the next page.",
  input: Type.Object(
    {
      status: Type.Optional(statusWord),
      run: Type.Optional(word("Only intents with an open run in this state: running, interrupted or paused.")),
      pipeline: Type.Optional(Type.String({ maxLength: 64 })),
      after: Type.Optional(intentId),
      limit: Type.Optional(limit),
    },
    closed,
  ),
  output: Type.Object({ items: Type.Array(listedIntent), next: Type.Union([intentId, Type.Null()]) }, closed),
  problems: ["intents.status_unknown"],
  rights: [{ verbs: ["read"], touches: ofEachResource(intent) }],
  routes: [get("/v1/intents")],
  example: { run: "interrupted", limit: 50 },
});

const listCorrections = operation({
  name: "intents.list-corrections",
  kind: "read",
  summary: "Lists the corrections of an intent, in order. `next` is the `after` of the next page.",
  input: Type.Object(
    {
      id: intentId,
      after: Type.Optional(Type.Integer({ minimum: 0, description: "The number of the last correction seen." })),
      limit: Type.Optional(limit),
    },
    closed,
  ),
  output: Type.Object({ items: Type.Array(correction), next: Type.Union([Type.Integer(), Type.Null()]) }, closed),
  problems: ["entity_not_found", "entity_deleted"],
  rights: [readRight],
  routes: [get("/v1/intents/{id}/corrections")],
  example: { id: "order-42", limit: 50 },
});

const update = operation({
  name: "intents.update",
  kind: "write",
  summary: "Changes the payload of an intent by a merge patch.",
  input: Type.Object({ ...target, changes }, closed),
  output: written,
  problems: [...writeProblems, "value_too_large"],
  rights: [writeRight],
  routes: [patch("/v1/intents/{id}", { ...ifMatch, patches: "changes" })],
  example: { id: "order-42", changes: { text: "three chairs" }, expected_revision: "1.1" },
  resource: intent,
});

const ofEachId = ({ ids }: { readonly ids: readonly string[] }): Touch => ({
  paths: ids.flatMap((id) => ofResource(intent)({ id }).paths ?? []),
});

const updateMany = operation({
  name: "intents.update-many",
  kind: "write",
  summary: "Changes the payload or the status of several intents in one entry, all or nothing.",
  input: Type.Object(
    {
      ids: Type.Array(intentId, { minItems: 1, maxItems: updateManyMax }),
      changes: Type.Optional(changes),
      to: Type.Optional(statusWord),
      fence: writeFence,
    },
    closed,
  ),
  output: Type.Object(
    {
      items: Type.Array(
        Type.Object({ id: intentId, version, revision, status: Type.String(), changed: Type.Boolean() }, closed),
      ),
    },
    closed,
  ),
  problems: [...writeProblems, "intents.transition_invalid", "intents.status_unknown", "intents.run_open"],
  rights: [{ verbs: ["write"], touches: ofEachId }],
  routes: [post("/v1/intents/update-many")],
  example: { ids: ["order-42", "order-43"], to: "completed" },
});

const transition = operation({
  name: "intents.transition",
  kind: "write",
  summary: "Changes the status of an intent. The status that it has already is not a change, if the table allows it.",
  input: Type.Object({ ...target, to: statusWord }, closed),
  output: written,
  problems: [...writeProblems, "intents.transition_invalid", "intents.status_unknown", "intents.run_open"],
  rights: [writeRight],
  routes: [post("/v1/intents/{id}/transition", optionalIfMatch)],
  example: { id: "order-42", to: "normalized" },
  resource: intent,
});

const reevaluate = operation({
  name: "intents.reevaluate",
  kind: "write",
  summary:
    "Applies a correction to the payload of an intent, once. An equal correction is answered with its first time.",
  input: Type.Object(
    {
      ...target,
      diff: Type.Record(Type.String(), Type.Unknown(), {
        minProperties: 1,
        description: "A merge patch of the payload. `{payload: {…}}` as the only member is the same patch.",
      }),
      source: Type.String({ ...line, minLength: 1, maxLength: 128, description: "The author of the correction." }),
      reason: Type.String({ ...line, minLength: 1 }),
      metadata: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), { description: "At most 16 KiB of JSON for readers." }),
      ),
      occasion: Type.Optional(
        Type.String({
          ...line,
          minLength: 1,
          maxLength: 128,
          description: "Makes an equal difference a new correction.",
        }),
      ),
      retry_count: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, description: "Tries before this one." })),
      correction_id: Type.Optional(correctionId),
    },
    closed,
  ),
  output: Type.Object(
    {
      intent_id: intentId,
      status: Type.Enum([...intentStatuses]),
      already_applied: Type.Boolean(),
      correction_id: correctionId,
      applied_at: Type.String(),
      correction_count: Type.Integer({ minimum: 0 }),
      in_effect: Type.Boolean({ description: "Whether merging the difference again would change nothing." }),
      version,
    },
    closed,
  ),
  problems: [...writeProblems, "intents.transition_invalid", "intents.too_many_corrections", "value_too_large"],
  rights: [writeRight],
  routes: [post("/v1/intents/{id}/reevaluate", optionalIfMatch)],
  example: { id: "order-42", diff: { price: 7 }, source: "pricing", reason: "the price list changed" },
  sets: ["correction_id"],
});

const deletion = operation({
  name: "intents.delete",
  kind: "write",
  summary: "Deletes an intent without an open run, and its corrections. Its history stays.",
  input: Type.Object(target, closed),
  output: Type.Object(
    { id: intentId, version, revision, previous_revision: revision, changed: Type.Boolean(), position: Type.Integer() },
    closed,
  ),
  problems: [...writeProblems, "intents.run_open"],
  rights: [writeRight],
  routes: [remove("/v1/intents/{id}", ifMatch)],
  example: { id: "order-42", expected_revision: "1.1" },
  resource: intent,
});

const configure = operation({
  name: "intents.configure",
  kind: "write",
  summary: "Changes the settings of intents; for operators.",
  input: Type.Object({ settings: intentSettings }, closed),
  output: strategiesInForce,
  problems: ["not_allowed", "intents.status_unknown", "intents.strategy_fixed"],
  rights: [{ verbs: ["operate"], touches: ofWholeSpace }],
  routes: [post("/v1/intents/configure")],
  example: { settings: { strategies: { re_evaluate: "pessimistic" } } },
});

const listStrategies = operation({
  name: "intents.list-strategies",
  kind: "read",
  summary: "Lists the strategies and limits in force, and the strategies that cannot change.",
  input: Type.Object({}, closed),
  output: strategiesInForce,
  problems: [],
  rights: [{ verbs: ["read", "write", "lock", "register"], touches: () => ({}) }],
  routes: [get("/v1/intent-strategies")],
  example: {},
});

export const intentsOperations = [
  ...[create, read, list, listCorrections, update, updateMany],
  ...[transition, reevaluate, deletion, configure, listStrategies],
];
