import Type from "typebox";
import type { Static, TObject, TProperties } from "typebox";
import { isoTime } from "../agents.ts";
import { conditions, entityId, limit, revision, version } from "../conditions.ts";
import { operation } from "../operation.ts";
import type { Operation } from "../operation.ts";

const closed = { additionalProperties: false } as const;

/**
 * A kind of thing that a pack keeps, such as the missions of planning. Each is a versioned entity, so revisions, history
 * and time travel are there already; from this description come its operations, routes, client and reference pages.
 */
export interface Resource<Name extends string = string, Plural extends string = string> {
  readonly pack: string;
  readonly name: Name;
  readonly plural: Plural;
  /** The type of its entities. */
  readonly type: string;
  readonly summary: string;
  /** What a caller gives at creation and may change later. */
  readonly fields: TProperties;
  /** What a caller gives at creation, for good: what it belongs to. */
  readonly fixed: TProperties;
  /** What only operations of its own set, such as a status. */
  readonly shown: TProperties;
  /** By which fields a list may be narrowed. */
  readonly filters: TProperties;
}

/** What every resource shows besides its fields. */
export interface ResourceFacts {
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
export type ShownResource<R extends Resource> = ResourceFacts &
  Readonly<Static<TObject<R["fixed"] & R["fields"] & R["shown"]>>>;

/** What a program gives to create one. */
export type NewResource<R extends Resource> = Readonly<Static<TObject<R["fixed"] & R["fields"]>>> & {
  readonly id?: string;
};

/** A merge patch of its fields; null removes one. */
export type ResourceChanges<R extends Resource> = {
  readonly [Field in keyof Static<TObject<R["fields"]>>]?: Static<TObject<R["fields"]>>[Field] | null;
};

export type ResourceFilters<R extends Resource> = Readonly<Static<TObject<R["filters"]>>>;

export type ResourceVerb = "create" | "get" | "list" | "update" | "archive" | "unarchive" | "delete";

/** The operation of a resource for a verb: `create-mission`, `list-missions`. */
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
        description: "Nothing changes in, or below, what is archived, until it is unarchived.",
      }),
      changed_at: isoTime,
      changed_by: Type.Object({ principal: Type.String(), agent: Type.Optional(Type.String()) }, closed),
      position: Type.Integer({ description: "The position of the entry that made this version." }),
    },
    closed,
  );
}

/** What a write came to: the resource as it is now, whether the write changed it, and what it was before. */
export function writtenResource(resource: Resource) {
  return Type.Object(
    {
      ...representation(resource).properties,
      changed: Type.Boolean({ description: "False if it was like this already; its revision stays." }),
      previous_revision: Type.Union([revision, Type.Null()]),
    },
    closed,
  );
}

/** What is said about the target of a change, besides the change itself. */
export const targetAndConditions = { id: entityId, ...conditions };

/** The operations that every resource has. */
export function resourceOperations(resource: Resource): Readonly<Record<string, Operation>> {
  const operations = [...writeOperations(resource), ...readOperations(resource)];
  return Object.fromEntries(operations.map((one) => [one.name, one]));
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
      problems: changeProblems(resource.pack),
    });
  return [
    operation({
      name: resourceOperationName(resource, "create"),
      kind: "write",
      summary: `Creates ${withArticle(name)}. Without an id it gets one.`,
      input: Type.Object({ id: Type.Optional(entityId), ...fixed, ...fields, fence: conditions.fence }, closed),
      output,
      problems: changeProblems(resource.pack),
    }),
    change("update", `Changes ${withArticle(name)}: \`changes\` is a merge patch (RFC 7396).`, {
      changes: Type.Object(nullable(fields), { ...closed, minProperties: 1, description: "null removes a field." }),
    }),
    change("archive", `Archives ${withArticle(name)}: nothing changes in it or below it any more.`, {}),
    change("unarchive", `Takes ${withArticle(name)} out of the archive.`, {}),
    change("delete", `Deletes ${withArticle(name)}, if nothing belongs to it or refers to it. Its history stays.`, {}),
  ];
}

const deletedResource = Type.Object(
  { id: entityId, version, revision, previous_revision: revision, changed: Type.Boolean(), position: Type.Integer() },
  closed,
);

function readOperations(resource: Resource): readonly Operation[] {
  const { name, plural, filters } = resource;
  const past = Type.Integer({ minimum: 0, description: "As it was right after the entry at this position." });
  return [
    operation({
      name: resourceOperationName(resource, "get"),
      kind: "read",
      summary: `${capital(withArticle(name))} as it is now, at a version, or at a position of the journal.`,
      input: Type.Object({ id: entityId, version: Type.Optional(version), position: Type.Optional(past) }, closed),
      output: representation(resource),
      problems: ["entity_not_found", "entity_deleted", "version_not_found", "entry_erased", "history_archived"],
    }),
    operation({
      name: resourceOperationName(resource, "list"),
      kind: "read",
      summary: `${capital(plural)}, ordered by id. \`next\` is the \`after\` of the next page; a page may be short.`,
      input: Type.Object(
        {
          ...filters,
          archived: Type.Optional(Type.Boolean({ description: "Only archived ones, or only those that are not." })),
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

/** What changes of a pack's resources may be refused with, besides the codes that the pack adds. */
export function changeProblems(_pack: string) {
  return ["entity_not_found", "entity_deleted", "concurrency_mismatch", "fence_stale", "kind_violated"] as const;
}

function nullable(fields: TProperties): TProperties {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, Type.Optional(Type.Union([field, Type.Null()]))]),
  );
}

function withArticle(name: string): string {
  return `${/^[aeiou]/u.test(name) ? "an" : "a"} ${name}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
