import type { Static, TObject, TProperties } from "typebox";

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
  /**
   * The lock path as a template: in `project/{0}/map/{1}`, `{n}` is the n-th segment of the id. `type/id` by default.
   */
  readonly path?: string;
  /** Its operations besides those that the pack defines itself; all by default. */
  readonly verbs?: readonly ResourceVerb[];
  /** The operations that create and change it, if their names are not those of its verbs. */
  readonly own?: { readonly create: string; readonly change: string };
  readonly summary: string;
  /** Fields that a caller sets at creation and may change later. */
  readonly fields: TProperties;
  /** Fields that a caller sets at creation and that never change, such as the parent. */
  readonly fixed: TProperties;
  /** Fields that only the resource's own operations set, such as a status. */
  readonly shown: TProperties;
  /** Fields that filter a list. */
  readonly filters: TProperties;
  /** A new resource with an id, changes of it, and filters of a list, for documents. */
  readonly example: {
    readonly created: Readonly<Record<string, unknown>> & { readonly id: string };
    readonly changes: Readonly<Record<string, unknown>>;
    readonly filters: Readonly<Record<string, unknown>>;
  };
}

/** The members that every resource has in addition to its fields. */
interface ResourceBase {
  readonly id: string;
  readonly version: number;
  readonly revision: string;
  /** ISO 8601. */
  readonly changed_at: string;
  readonly changed_by: { readonly principal: string; readonly agent?: string };
  readonly position: number;
}

/** A resource has the member `archived` if it can be archived. */
type Archivable<R extends Resource> = R extends { readonly verbs: readonly (infer Verb)[] }
  ? "archive" extends Verb
    ? { readonly archived: boolean }
    : object
  : { readonly archived: boolean };

/** A resource as a program reads it. */
export type ShownResource<R extends Resource> = ResourceBase &
  Archivable<R> &
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
