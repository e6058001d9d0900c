/** The types of the operations of planning, by the name after the dot. */
import type { ClientForm } from "../data/client-form.ts";
import type { InputOfOperation, OutputOfOperation } from "../operation-output.ts";
import type { assignment, collaborator, mission, organization, project } from "../../contract/packs/planning.ts";
import type { reopenMission, transitionMission } from "../../contract/packs/planning.ts";
import type {
  NewResource,
  Resource,
  ResourceChanges,
  ResourceFilters,
  ShownResource,
} from "../../contract/packs/resource.ts";
import type { Changed, DeletedResource } from "./resource-client.ts";

interface ResourceTarget {
  readonly id: string;
}

interface ConditionalTarget extends ResourceTarget {
  readonly expectedRevision?: string;
  readonly fence?: string;
}

export interface OperationTypes<Input, Output> {
  readonly input: Input;
  readonly output: Output;
}

type ListQuery<R extends Resource> = ClientForm<ResourceFilters<R>> & {
  readonly archived?: boolean;
  readonly after?: string;
  readonly limit?: number;
};

interface ResourcePage<R extends Resource> {
  readonly items: readonly ClientForm<ShownResource<R>>[];
  readonly next: string | null;
}

/** The operations that every resource of a pack has. */
type ResourceOperations<R extends Resource> = Record<
  `create-${R["name"]}`,
  OperationTypes<ClientForm<NewResource<R>>, Changed<R>>
> &
  Record<
    `get-${R["name"]}`,
    OperationTypes<
      ResourceTarget & { readonly version?: number; readonly position?: number },
      ClientForm<ShownResource<R>>
    >
  > &
  Record<`list-${R["plural"]}`, OperationTypes<ListQuery<R>, ResourcePage<R>>> &
  Record<
    `update-${R["name"]}`,
    OperationTypes<ConditionalTarget & { readonly changes: ClientForm<ResourceChanges<R>> }, Changed<R>>
  > &
  Record<`${"archive" | "unarchive"}-${R["name"]}`, OperationTypes<ConditionalTarget, Changed<R>>> &
  Record<`delete-${R["name"]}`, OperationTypes<ConditionalTarget, DeletedResource>>;

export type PlanningOperations = ResourceOperations<typeof organization> &
  ResourceOperations<typeof project> &
  ResourceOperations<typeof collaborator> &
  ResourceOperations<typeof mission> &
  ResourceOperations<typeof assignment> &
  Record<
    "transition-mission",
    OperationTypes<InputOfOperation<typeof transitionMission>, OutputOfOperation<typeof transitionMission>>
  > &
  Record<
    "reopen-mission",
    OperationTypes<InputOfOperation<typeof reopenMission>, OutputOfOperation<typeof reopenMission>>
  >;
