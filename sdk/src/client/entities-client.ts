import type { Deleted, Entity, HistoryItem, Written } from "./operation-output.ts";
import type { ClientClock } from "./client-clock.ts";
import { HoldfastError } from "./holdfast-error.ts";
import type { CallOptions } from "./transport/transport.ts";
import type { UpdateOptions } from "./update-entity.ts";

/** The conditions of a write, and how it is sent. */
export interface WriteOptions extends CallOptions {
  /** Refuse the write if the entity has another version. 0: refuse it if the entity exists. */
  readonly expectedVersion?: number;
  /** The same by the revision that a read or a write returned. */
  readonly expectedRevision?: string;
  /** The fence of the lock that protects the write. The write is refused if that lock is lost. */
  readonly fence?: string;
  /**
   * Narrows the check to these fields, so that edits of other fields do not conflict. A JSON Pointer requires that the
   * field is unchanged since the expected version. `{ pointer, value }`: the field has that value.
   */
  readonly ifUnchanged?: readonly (string | { readonly pointer: string; readonly value?: unknown })[];
}

/** The conditions of a creation. */
export type CreateOptions = CallOptions & Pick<WriteOptions, "expectedVersion" | "fence">;

/** A past version, or the entity at a position of the journal. */
export interface PastQuery {
  readonly version?: number;
  readonly position?: number;
}

/** A merge patch (RFC 7396), or a JSON patch (RFC 6902). */
export type EntityPatch =
  | { readonly merge: Readonly<Record<string, unknown>> }
  | { readonly patch: readonly PatchStep[] };

export type PatchStep =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/** The entities of one type. The value type is the program's own: the server checks it only if the type has a kind. */
export interface TypedEntities<Value> {
  create(id: string, value: Value, options?: CreateOptions): Promise<Written<Value>>;
  replace(id: string, value: Value, options?: WriteOptions): Promise<Written<Value>>;
  patch(id: string, patch: EntityPatch, options?: WriteOptions): Promise<Written<Value>>;
  /** Reads, changes and writes an entity, and starts again after a conflict. */
  update(
    id: string,
    change: (value: Value, entity: Entity<Value>) => Value | Promise<Value>,
    options?: UpdateOptions<Value>,
  ): Promise<Written<Value>>;
  delete(id: string, options?: WriteOptions): Promise<Deleted>;
  /** The current entity, or a past one. Throws if it does not exist. */
  get(id: string, options?: PastQuery): Promise<Entity<Value>>;
  /** The same, and undefined if the entity does not exist or is deleted. */
  find(id: string, options?: PastQuery): Promise<Entity<Value> | undefined>;
  list(page?: { readonly after?: string; readonly limit?: number }): Promise<Page<Entity<Value>, string>>;
  history(id: string, page?: { readonly before?: number; readonly limit?: number }): Promise<Page<HistoryItem, number>>;
}

/** Entities of any type. `client.entities<Plan>("plan")` has the entities of one type, with typed values. */
export interface EntitiesClient {
  <Value = unknown>(type: string): TypedEntities<Value>;
  create(type: string, id: string, value: unknown, options?: CreateOptions): Promise<Written>;
  replace(type: string, id: string, value: unknown, options?: WriteOptions): Promise<Written>;
  patch(type: string, id: string, patch: EntityPatch, options?: WriteOptions): Promise<Written>;
  /**
   * Reads, changes and writes an entity, and starts again after a conflict. The function receives the value and returns
   * the new one. It may run several times, so it should have no other effect.
   */
  update<Value = unknown>(
    type: string,
    id: string,
    change: (value: Value, entity: Entity) => unknown,
    options?: UpdateOptions<Value>,
  ): Promise<Written>;
  delete(type: string, id: string, options?: WriteOptions): Promise<Deleted>;
  /** The current entity, or a past one. Throws if it does not exist. */
  get(type: string, id: string, options?: PastQuery): Promise<Entity>;
  /** The same, and undefined if the entity does not exist or is deleted. */
  find(type: string, id: string, options?: PastQuery): Promise<Entity | undefined>;
  list(type: string, page?: { readonly after?: string; readonly limit?: number }): Promise<Page<Entity, string>>;
  /** The history of an entity, newest first. */
  history(
    type: string,
    id: string,
    page?: { readonly before?: number; readonly limit?: number },
  ): Promise<Page<HistoryItem, number>>;
}

export interface Page<Item, Next> {
  readonly items: readonly Item[];
  readonly next: Next | null;
}

/** Runs an operation and returns its result, or throws the refusal. */
export type Run = (operation: string, input: unknown, options?: CallOptions) => Promise<unknown>;

type EntityMethods = Omit<EntitiesClient, "update">;

export function entitiesClient(run: Run, clock: ClientClock): EntitiesClient {
  // Not async functions: another promise per call would add nothing.
  const write = (operation: string, input: object, options?: WriteOptions): Promise<unknown> => {
    if (options === undefined) return run(operation, input);
    const { expectedVersion, expectedRevision, ifUnchanged, fence, ...call } = options;
    return run(operation, { ...input, expectedVersion, expectedRevision, ifUnchanged, fence }, call);
  };
  const client: EntityMethods = {
    create: (type, id, value, options) => write("create-entity", { type, id, value }, options) as Promise<Written>,
    replace: (type, id, value, options) => write("replace-entity", { type, id, value }, options) as Promise<Written>,
    patch: (type, id, patch, options) => write("patch-entity", { type, id, ...patch }, options) as Promise<Written>,
    delete: (type, id, options) => write("delete-entity", { type, id }, options) as Promise<Deleted>,
    get: (type, id, options) => run("get-entity", { type, id, ...options }) as Promise<Entity>,
    find: (type, id, options) => client.get(type, id, options).catch(undefinedIfAbsent),
    list: (type, page) => run("list-entities", { type, ...page }) as Promise<Page<Entity, string>>,
    history: (type, id, page) => run("list-history", { type, id, ...page }) as Promise<Page<HistoryItem, number>>,
  };
  const methods = {
    ...client,
    // Loaded on first use: a page that only reads does not download it.
    update: (async (type, id, change, options) => {
      const { updateEntity } = await import("./update-entity.ts");
      return updateEntity({ client, clock }, { type, id }, change as never, options);
    }) as EntitiesClient["update"],
  };
  const ofType = <Value>(type: string): TypedEntities<Value> => typedEntities(methods, type);
  return Object.assign(ofType, methods);
}

function undefinedIfAbsent(error: unknown): undefined {
  if (error instanceof HoldfastError && (error.code === "entity_not_found" || error.code === "entity_deleted")) return;
  throw error;
}

type AllMethods = { readonly [Name in keyof EntitiesClient]: EntitiesClient[Name] };

/** The same methods for one type, which is their first argument. */
function typedEntities<Value>(entities: AllMethods, type: string): TypedEntities<Value> {
  const methods = Object.entries<(type: string, ...rest: never[]) => unknown>(entities);
  return Object.fromEntries(
    methods.map(([name, method]) => [name, method.bind(undefined, type)]),
  ) as unknown as TypedEntities<Value>;
}
