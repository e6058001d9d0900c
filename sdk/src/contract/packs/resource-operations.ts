import { defined } from "../../base/defined.ts";
import Type from "typebox";
import type { TProperties } from "typebox";
import { isoTime } from "../agents.ts";
import { conditions, entityId, limit, revision, version } from "../conditions.ts";
import { operation } from "../operation.ts";
import type { Operation } from "../operation.ts";
import { ofEachResource, ofResource } from "../rights.ts";
import { get, ifMatch, patch, post, remove } from "../routes.ts";
import type { Route } from "../routes.ts";
import { resourceOperationName } from "./resource-operation-name.ts";
import type { Resource, ResourceVerb } from "./resource.ts";

const closed = { additionalProperties: false } as const;

/** The route of all resources of a type: `/v1/planning/missions`, and `/v1/notes` for the notes of the pack `notes`. */
function collectionRoute({ pack, plural }: Resource): string {
  return plural === pack ? `/v1/${pack}` : `/v1/${pack}/${plural}`;
}

const allVerbs: readonly ResourceVerb[] = ["create", "update", "archive", "unarchive", "delete", "get", "list"];

/** The verbs of a resource, in the order of its operations. */
export function verbsOf({ verbs = allVerbs }: Resource): readonly ResourceVerb[] {
  return allVerbs.filter((verb) => verbs.includes(verb));
}

export function isArchivable(resource: Resource): boolean {
  return verbsOf(resource).includes("archive");
}

/** The route of an operation on one resource: `/v1/planning/missions/{id}/archive`. */
export function resourceRoute(resource: Resource, verb: string): Route {
  return post(`${collectionRoute(resource)}/{id}/${verb}`, ifMatch);
}

/** The revision in examples of changes. */
export const expectedExample = { expected_revision: "1.1" } as const;

const archived = Type.Boolean({
  description: "An archived resource, and everything below it, cannot change until it is unarchived.",
});

/** A resource as every door shows it. */
export function representation(resource: Resource) {
  return Type.Object(
    {
      id: entityId,
      version,
      revision,
      ...resource.fixed,
      ...resource.fields,
      ...resource.shown,
      ...defined({ archived: isArchivable(resource) ? archived : undefined }),
      changed_at: isoTime,
      changed_by: Type.Object({ principal: Type.String(), agent: Type.Optional(Type.String()) }, closed),
      position: Type.Integer({ description: "The position of the entry that made this version." }),
    },
    closed,
  );
}

/** The result of a write: the resource after it, whether it changed, and its revision before. */
export function writtenResource(resource: Resource) {
  return Type.Object(
    {
      ...representation(resource).properties,
      changed: Type.Boolean({ description: "False if the resource already had these values. Its revision stays." }),
      previous_revision: Type.Union([revision, Type.Null()]),
    },
    closed,
  );
}

/** The target and the conditions of a change. */
export const targetAndConditions = { id: entityId, ...conditions };

/** The operations of a resource. */
export function resourceOperations(resource: Resource): readonly Operation[] {
  return verbsOf(resource).map((verb) => operationMakers[verb](resource));
}

type MakeOperation = (resource: Resource) => Operation;

const operationMakers: Readonly<Record<ResourceVerb, MakeOperation>> = {
  create: createOperation,
  update: (resource) =>
    changeOperation(resource, "update", {
      summary: `Changes ${withArticle(resource.name)}: \`changes\` is a merge patch (RFC 7396).`,
      route: patch(`${collectionRoute(resource)}/{id}`, { ...ifMatch, patches: "changes" }),
      input: {
        changes: Type.Object(nullable(resource.fields), {
          ...closed,
          minProperties: 1,
          description: "null removes a field.",
        }),
      },
    }),
  archive: (resource) =>
    changeOperation(resource, "archive", {
      summary: `Archives ${withArticle(resource.name)}. Nothing in it or below it can change until it is unarchived.`,
      route: resourceRoute(resource, "archive"),
    }),
  unarchive: (resource) =>
    changeOperation(resource, "unarchive", {
      summary: `Unarchives ${withArticle(resource.name)}.`,
      route: resourceRoute(resource, "unarchive"),
    }),
  delete: (resource) =>
    changeOperation(resource, "delete", {
      summary: `Deletes ${withArticle(resource.name)} if no other resource refers to it. Its history stays.`,
      route: remove(`${collectionRoute(resource)}/{id}`, ifMatch),
    }),
  get: getOperation,
  list: listOperation,
};

function createOperation(resource: Resource): Operation {
  const { name, fixed, fields, example } = resource;
  return operation({
    name: resourceOperationName(resource, "create"),
    kind: "write",
    summary: `Creates ${withArticle(name)}. Without an id the server makes one.`,
    input: Type.Object({ id: Type.Optional(entityId), ...fixed, ...fields, fence: conditions.fence }, closed),
    output: writtenResource(resource),
    problems: changeProblems,
    rights: [{ verbs: ["write"], touches: ofResource(resource) }],
    routes: [post(collectionRoute(resource), { status: 201 })],
    example: example.created,
    resource,
  });
}

interface ChangeParts {
  readonly summary: string;
  readonly route: Route;
  readonly input?: TProperties;
}

function changeOperation(
  resource: Resource,
  verb: ResourceVerb,
  { summary, route, input = {} }: ChangeParts,
): Operation {
  const { example } = resource;
  return operation({
    name: resourceOperationName(resource, verb),
    kind: "write",
    summary,
    input: Type.Object({ ...targetAndConditions, ...input }, closed),
    output: verb === "delete" ? deletedResource : writtenResource(resource),
    problems: changeProblems,
    rights: [{ verbs: ["write"], touches: ofResource(resource) }],
    routes: [route],
    example: {
      id: example.created.id,
      ...defined({ changes: verb === "update" ? example.changes : undefined }),
      ...expectedExample,
    },
    resource,
  });
}

const deletedResource = Type.Object(
  { id: entityId, version, revision, previous_revision: revision, changed: Type.Boolean(), position: Type.Integer() },
  closed,
);

function getOperation(resource: Resource): Operation {
  const { name, example } = resource;
  const past = Type.Integer({ minimum: 0, description: "The resource right after the entry at this position." });
  return operation({
    name: resourceOperationName(resource, "get"),
    kind: "read",
    summary: `Reads ${withArticle(name)}: the current one, a past version, or the one at a position of the journal.`,
    input: Type.Object({ id: entityId, version: Type.Optional(version), position: Type.Optional(past) }, closed),
    output: representation(resource),
    problems: ["entity_not_found", "entity_deleted", "version_not_found", "entry_erased", "history_archived"],
    rights: [{ verbs: ["read"], touches: ofResource(resource) }],
    routes: [get(`${collectionRoute(resource)}/{id}`)],
    example: { id: example.created.id },
    resource,
  });
}

const archivedFilter = Type.Optional(Type.Boolean({ description: "true: only archived ones; false: only others." }));

function listOperation(resource: Resource): Operation {
  const { plural, example } = resource;
  const filters: TProperties = {
    ...resource.filters,
    ...defined({ archived: isArchivable(resource) ? archivedFilter : undefined }),
  };
  return operation({
    name: resourceOperationName(resource, "list"),
    kind: "read",
    summary: `Lists ${plural}, ordered by id. \`next\` is the \`after\` of the next page. A page may be short.`,
    input: Type.Object(
      {
        ...filters,
        after: Type.Optional(entityId),
        limit: Type.Optional(limit),
      },
      closed,
    ),
    output: Type.Object(
      { items: Type.Array(representation(resource)), next: Type.Union([entityId, Type.Null()]) },
      closed,
    ),
    problems: [],
    rights: [{ verbs: ["read"], touches: ofEachResource(resource) }],
    routes: [get(collectionRoute(resource))],
    example: { ...example.filters, limit: 50 },
    resource,
  });
}

/** The shared problem codes of changes of a pack's resources. */
const changeProblems = [
  "entity_not_found",
  "entity_deleted",
  "concurrency_mismatch",
  "fence_stale",
  "kind_violated",
] as const;

function nullable(fields: TProperties): TProperties {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, Type.Optional(Type.Union([field, Type.Null()]))]),
  );
}

function withArticle(name: string): string {
  return `${/^[aeiou]/u.test(name) ? "an" : "a"} ${name}`;
}
