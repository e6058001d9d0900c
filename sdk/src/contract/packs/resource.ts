import Type from "typebox";
import type { Static, TObject, TProperties } from "typebox";
import { isoTime } from "../agents.ts";
import { conditions, entityId, limit, revision, version } from "../conditions.ts";
import { operation } from "../operation.ts";
import type { Operation } from "../operation.ts";

const closed = { additionalProperties: false } as const;

/**
 * A type of resource that a pack manages, such as the missions of planning. Each resource is a versioned entity, so it
 * has revisions, history and time travel. Its operations, routes, client and reference pages are derived from this
 * description.
 */
export interface Resource<Name extends string = string, Plural extends string = string> {
  readonly pack: string;
  readonly name: Name;
  readonly plural: Plural;
  /** The entity type. */
  readonly type: string;
  readonly summary: string;
  /** Fields that a caller sets at creation and may change later. */
  readonly fields: TProperties;
  /** Fields that a caller sets at creation and that never change, such as the parent. */
  readonly fixed: TProperties;
  /** Fields that only the resource's own operations set, such as a status. */
  readonly shown: TProperties;
  /** Fields that filter a list. */
  readonly filters: TProperties;
}

/** The members that every resource has in addition to its fields. */
interface ResourceBase {
  readonly id: string;
  readonly version: number;
  readonly revision: string;
  readonly archived: boolean;
  /** ISO 8601. */
  readonly changed_at: string;
  readonly changed_by: { readonly principal: string; readonly agent?: string };
  readonly position: number;
}

/** A resource as a program reads it. */
export type ShownResource<R extends Resource> = ResourceBase &
  Readonly<Static<TObject<R["fixed"] & R["fields"] & R["shown"]>>>;

/** The input to create a resource. */
export type NewResource<R extends Resource> = Readonly<Static<TObject<R["fixed"] & R["fields"]>>> & {
  readonly id?: string;
};

/** A merge patch of the fields; null removes a field. */
export type ResourceChanges<R extends Resource> = {
  readonly [Field in keyof Static<TObject<R["fields"]>>]?: Static<TObject<R["fields"]>>[Field] | null;
};

export type ResourceFilters<R extends Resource> = Readonly<Static<TObject<R["filters"]>>>;

export type ResourceVerb = "create" | "get" | "list" | "update" | "archive" | "unarchive" | "delete";

/** The operation name of a verb on a resource: `create-mission`, `list-missions`. */
export function resourceOperationName(resource: Resource, verb: ResourceVerb): string {
  return `${verb}-${verb === "list" ? resource.plural : resource.name}`;
}

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
      archived: Type.Boolean({
        description: "An archived resource, and everything below it, cannot change until it is unarchived.",
      }),
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

/** The operations of every resource. */
export function resourceOperations(resource: Resource): Readonly<Record<string, Operation>> {
  const operations = [...writeOperations(resource), ...readOperations(resource)];
  return Object.fromEntries(operations.map((each) => [each.name, each]));
}

function writeOperations(resource: Resource): readonly Operation[] {
  const { name, fields, fixed } = resource;
  const output = writtenResource(resource);
  const change = (verb: ResourceVerb, summary: string, input: TProperties): Operation =>
    operation({
      name: resourceOperationName(resource, verb),
      kind: "write",
      summary,
      input: Type.Object({ ...targetAndConditions, ...input }, closed),
      output: verb === "delete" ? deletedResource : output,
      problems: changeProblems,
    });
  return [
    operation({
      name: resourceOperationName(resource, "create"),
      kind: "write",
      summary: `Creates ${withArticle(name)}. Without an id the server makes one.`,
      input: Type.Object({ id: Type.Optional(entityId), ...fixed, ...fields, fence: conditions.fence }, closed),
      output,
      problems: changeProblems,
    }),
    change("update", `Changes ${withArticle(name)}: \`changes\` is a merge patch (RFC 7396).`, {
      changes: Type.Object(nullable(fields), { ...closed, minProperties: 1, description: "null removes a field." }),
    }),
    change(
      "archive",
      `Archives ${withArticle(name)}. Nothing in it or below it can change until it is unarchived.`,
      {},
    ),
    change("unarchive", `Unarchives ${withArticle(name)}.`, {}),
    change("delete", `Deletes ${withArticle(name)} if no other resource refers to it. Its history stays.`, {}),
  ];
}

const deletedResource = Type.Object(
  { id: entityId, version, revision, previous_revision: revision, changed: Type.Boolean(), position: Type.Integer() },
  closed,
);

function readOperations(resource: Resource): readonly Operation[] {
  const { name, plural, filters } = resource;
  const past = Type.Integer({ minimum: 0, description: "The resource right after the entry at this position." });
  return [
    operation({
      name: resourceOperationName(resource, "get"),
      kind: "read",
      summary: `Reads ${withArticle(name)}: the current one, a past version, or the one at a position of the journal.`,
      input: Type.Object({ id: entityId, version: Type.Optional(version), position: Type.Optional(past) }, closed),
      output: representation(resource),
      problems: ["entity_not_found", "entity_deleted", "version_not_found", "entry_erased", "history_archived"],
    }),
    operation({
      name: resourceOperationName(resource, "list"),
      kind: "read",
      summary: `Lists ${plural}, ordered by id. \`next\` is the \`after\` of the next page. A page may be short.`,
      input: Type.Object(
        {
          ...filters,
          archived: Type.Optional(Type.Boolean({ description: "true: only archived ones; false: only others." })),
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
    }),
  ];
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
