import type { Deleted, Entity, HistoryItem, Written } from "./operation-output.ts";
import type { CreateOptions, EntitiesClient, EntityPatch, Page, PastQuery, WriteOptions } from "./entities-client.ts";
import type { UpdateOptions } from "./update-entity.ts";

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

type EntityMethods = { readonly [Name in keyof EntitiesClient]: EntitiesClient[Name] };

export function typedEntities<Value>(entities: EntityMethods, type: string): TypedEntities<Value> {
  return {
    create: (id, value, options) => entities.create(type, id, value, options) as Promise<Written<Value>>,
    replace: (id, value, options) => entities.replace(type, id, value, options) as Promise<Written<Value>>,
    patch: (id, patch, options) => entities.patch(type, id, patch, options) as Promise<Written<Value>>,
    update: (id, change, options) =>
      entities.update<Value>(type, id, change as never, options) as Promise<Written<Value>>,
    delete: (id, options) => entities.delete(type, id, options),
    get: (id, options) => entities.get(type, id, options) as Promise<Entity<Value>>,
    find: (id, options) => entities.find(type, id, options) as Promise<Entity<Value> | undefined>,
    list: (page) => entities.list(type, page) as Promise<Page<Entity<Value>, string>>,
    history: (id, page) => entities.history(type, id, page),
  };
}
