import type { Resource, ResourceVerb } from "./resource.ts";

/** The members of a resource that name its operations. */
export type ResourceName = Pick<Resource, "pack" | "name" | "plural">;

/** The operation name of a verb on a resource: `planning.create-mission`, `planning.list-missions`. */
export function resourceOperationName(resource: ResourceName, verb: ResourceVerb): string {
  return `${resource.pack}.${verb}-${verb === "list" ? resource.plural : resource.name}`;
}
