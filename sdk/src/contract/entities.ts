import Type from "typebox";
import { isoTime } from "./agents.ts";
import {
  conditions,
  entityId,
  entityType,
  limit,
  pointer,
  revision,
  value,
  version,
  writeFence,
} from "./conditions.ts";
import { operation } from "./operation.ts";
import { ofEntity, ofEntityType } from "./path-of-entity.ts";
import { get, ifMatch, patch, post, put, remove } from "./routes.ts";

const closed = { additionalProperties: false } as const;
const author = Type.Object({ principal: Type.String(), agent: Type.Optional(Type.String()) }, closed);
const target = { type: entityType, id: entityId };
const route = "/v1/entities/{type}/{id}";
const plan = { type: "plan", id: "42" } as const;
const changeProblems = [
  "entity_not_found",
  "entity_deleted",
  "concurrency_mismatch",
  "field_changed",
  "fence_stale",
  "fence_required",
  "kind_violated",
] as const;

const entity = Type.Object(
  {
    ...target,
    version,
    revision,
    value,
    changed_at: Type.String({ description: "Time of this version: ISO 8601, in UTC." }),
    changed_by: author,
    position: Type.Integer({ description: "The position of the entry that made this version." }),
  },
  closed,
);

/** The result of a write: the entity after it, whether it changed, and its revision before. */
const written = Type.Object(
  {
    ...entity.properties,
    changed: Type.Boolean({ description: "False if the entity already had this value. Its version stays." }),
    previous_revision: Type.Union([revision, Type.Null()]),
  },
  closed,
);

const createEntity = operation({
  name: "create-entity",
  kind: "write",
  summary: "Creates an entity that does not exist. A deleted entity continues its version count.",
  input: Type.Object({ ...target, value, expected_version: Type.Optional(version), fence: writeFence }, closed),
  output: written,
  problems: ["entity_exists", "concurrency_mismatch", "value_too_large", "kind_violated"],
  rights: [{ verbs: ["write"], touches: ofEntity }],
  routes: [
    post("/v1/entities/{type}", { status: 201, without: ["expected_version"] }),
    put(route, { status: 201, needs: "if-none-match" }),
  ],
  example: { ...plan, value: { title: "Launch", status: "draft" } },
});

const replaceEntity = operation({
  name: "replace-entity",
  kind: "write",
  summary: "Replaces the whole value of an entity.",
  input: Type.Object({ ...target, value, ...conditions }, closed),
  output: written,
  problems: [...changeProblems, "value_too_large"],
  rights: [{ verbs: ["write"], touches: ofEntity }],
  routes: [put(route, ifMatch)],
  example: { ...plan, value: { title: "Launch", status: "review" }, expected_revision: "1.1" },
});

const patchStep = Type.Object(
  {
    op: Type.Enum(["add", "remove", "replace", "move", "copy", "test"]),
    path: pointer,
    from: Type.Optional(pointer),
    value: Type.Optional(value),
  },
  closed,
);

const patchEntity = operation({
  name: "patch-entity",
  kind: "write",
  summary:
    "Changes parts of an entity. `merge` is a merge patch (RFC 7396), `patch` a JSON patch (RFC 6902). Send one of them.",
  input: Type.Object(
    {
      ...target,
      merge: Type.Optional(Type.Object({}, { description: "A merge patch." })),
      patch: Type.Optional(Type.Array(patchStep, { minItems: 1, maxItems: 1000 })),
      ...conditions,
    },
    closed,
  ),
  output: written,
  problems: [...changeProblems, "patch_failed", "value_too_large"],
  rights: [{ verbs: ["write"], touches: ofEntity }],
  routes: [patch(route, ifMatch)],
  example: { ...plan, merge: { status: "review" }, expected_revision: "1.1" },
});

const deleteEntity = operation({
  name: "delete-entity",
  kind: "write",
  summary: "Deletes an entity. Its history and its version count stay.",
  input: Type.Object({ ...target, ...conditions }, closed),
  output: Type.Object(
    { ...target, version, revision, previous_revision: revision, changed: Type.Boolean(), position: Type.Integer() },
    closed,
  ),
  problems: [...changeProblems],
  rights: [{ verbs: ["write"], touches: ofEntity }],
  routes: [remove(route, ifMatch)],
  example: { ...plan, expected_revision: "1.2" },
});

const getEntity = operation({
  name: "get-entity",
  kind: "read",
  summary: "Reads the current entity, a past version, or the entity at a position of the journal.",
  input: Type.Object(
    {
      ...target,
      version: Type.Optional(version),
      position: Type.Optional(
        Type.Integer({ minimum: 0, description: "The entity right after the entry at this position." }),
      ),
    },
    closed,
  ),
  output: entity,
  problems: ["entity_not_found", "entity_deleted", "version_not_found", "entry_erased", "history_archived"],
  rights: [{ verbs: ["read"], touches: ofEntity }],
  routes: [get(route)],
  example: plan,
});

const listEntities = operation({
  name: "list-entities",
  kind: "read",
  summary: "Lists the entities of a type, ordered by id. `next` is the `after` of the next page.",
  input: Type.Object({ type: entityType, after: Type.Optional(entityId), limit: Type.Optional(limit) }, closed),
  output: Type.Object({ items: Type.Array(entity), next: Type.Union([entityId, Type.Null()]) }, closed),
  problems: [],
  rights: [{ verbs: ["read"], touches: ofEntityType }],
  routes: [get("/v1/entities/{type}")],
  example: { type: "plan", limit: 50 },
});

const historyItem = Type.Object(
  {
    position: Type.Integer(),
    time: isoTime,
    by: author,
    operation: Type.String(),
    event: Type.String({ description: "The event's published name, such as `evt.document.changed`." }),
    version: Type.Integer({
      description: "The version after the event. A conflict has the version that it met, and an event of a pack has 0.",
    }),
    data: Type.Unknown(),
    erased_by: Type.Optional(Type.Integer({ description: "Position of the entry that erased the data of this one." })),
  },
  closed,
);

const listHistory = operation({
  name: "list-history",
  kind: "read",
  summary:
    "Lists the history of an entity with its conflicts and the events of packs about it, newest first. `next` is the `before` of the next page, null at the " +
    "end. A page may be short.",
  input: Type.Object(
    { ...target, before: Type.Optional(Type.Integer({ minimum: 1 })), limit: Type.Optional(limit) },
    closed,
  ),
  output: Type.Object({ items: Type.Array(historyItem), next: Type.Union([Type.Integer(), Type.Null()]) }, closed),
  problems: ["entity_not_found"],
  rights: [{ verbs: ["read"], touches: ofEntity }],
  routes: [get(`${route}/history`)],
  example: { ...plan, limit: 20 },
});

export const entityOperations = {
  "create-entity": createEntity,
  "replace-entity": replaceEntity,
  "patch-entity": patchEntity,
  "delete-entity": deleteEntity,
  "get-entity": getEntity,
  "list-entities": listEntities,
  "list-history": listHistory,
} as const;
