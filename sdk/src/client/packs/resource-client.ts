import { resourceOperationName } from "../../contract/packs/resource-operation-name.ts";
import type { ResourceName } from "../../contract/packs/resource-operation-name.ts";
import type {
  NewResource,
  Resource,
  ResourceChanges,
  ResourceFilters,
  ResourceVerb,
  ShownResource,
} from "../../contract/packs/resource.ts";
import type { ClientForm } from "../data/client-form.ts";
import type { Page, Run } from "../entities-client.ts";
import type { CallOptions } from "../transport/transport.ts";

/** The conditions of a change, and how it is sent. */
export interface ChangeOptions extends CallOptions {
  /** Refuse the change if the resource has another revision. Reads and writes return it. */
  readonly expectedRevision?: string;
  /** The fence of the lock that protects the write. */
  readonly fence?: string;
}

export type Changed<R extends Resource> = ClientForm<ShownResource<R>> & {
  readonly changed: boolean;
  readonly previousRevision: string | null;
};

export interface DeletedResource {
  readonly id: string;
  readonly version: number;
  readonly revision: string;
  readonly previousRevision: string;
  readonly changed: boolean;
  readonly position: number;
}

/** The operations on one type of a pack's resources. */
export interface ResourceClient<R extends Resource> {
  create(input: ClientForm<NewResource<R>>, options?: CallOptions): Promise<Changed<R>>;
  get(
    id: string,
    at?: { readonly version?: number; readonly position?: number },
  ): Promise<ClientForm<ShownResource<R>>>;
  list(
    query?: ClientForm<ResourceFilters<R>> & {
      readonly archived?: boolean;
      readonly after?: string;
      readonly limit?: number;
    },
  ): Promise<Page<ClientForm<ShownResource<R>>, string>>;
  update(id: string, changes: ClientForm<ResourceChanges<R>>, options?: ChangeOptions): Promise<Changed<R>>;
  archive(id: string, options?: ChangeOptions): Promise<Changed<R>>;
  unarchive(id: string, options?: ChangeOptions): Promise<Changed<R>>;
  delete(id: string, options?: ChangeOptions): Promise<DeletedResource>;
}

/** Runs an operation that changes a resource. */
export function changeResource(run: Run, operation: string, input: object, options: ChangeOptions = {}) {
  const { expectedRevision, fence, ...call } = options;
  return run(operation, { ...input, expectedRevision, fence }, call);
}

export function resourceClient<R extends Resource>(run: Run, resource: ResourceName): ResourceClient<R> {
  const nameOf = (verb: ResourceVerb): string => resourceOperationName(resource, verb);
  const change =
    (verb: ResourceVerb) =>
    (id: string, options?: ChangeOptions): Promise<never> =>
      changeResource(run, nameOf(verb), { id }, options) as Promise<never>;
  return {
    create: (input, options = {}) => run(nameOf("create"), input, options) as Promise<Changed<R>>,
    get: (id, at = {}) => run(nameOf("get"), { id, ...at }, {}) as Promise<ClientForm<ShownResource<R>>>,
    list: (query = {} as never) =>
      run(nameOf("list"), query, {}) as Promise<Page<ClientForm<ShownResource<R>>, string>>,
    update: (id, changes, options) =>
      changeResource(run, nameOf("update"), { id, changes }, options) as Promise<Changed<R>>,
    archive: change("archive"),
    unarchive: change("unarchive"),
    delete: change("delete"),
  };
}
