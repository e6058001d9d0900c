import type { Resource } from "./resource.ts";
import { resourceOperationName } from "./resource-operation-name.ts";

/** The operations of a pack that create and change the entities of a type. The general operations cannot. */
export interface OwnOperations {
  readonly create: string;
  readonly change: string;
}

export function ownOperationsOf(resource: Resource): OwnOperations {
  return (
    resource.own ?? {
      create: resourceOperationName(resource, "create"),
      change: resourceOperationName(resource, "update"),
    }
  );
}

/** The next step of a refusal. For an entity of a pack it names the operations of the pack. */
export function nextForOwner(next: string, own: OwnOperations | undefined): string {
  if (own === undefined) return next;
  return next.replace("create-entity", own.create).replace("replace-entity or patch-entity", own.change);
}
