import type { Resource, ResourceVerb } from "./resource.ts";

/** The members of a resource that name its operations. */
export type ResourceName = Pick<Resource, "pack" | "name" | "plural">;

/**
 * The operation name of a verb on a resource, such as `planning.create-mission`. The resource after which its pack is
 * named is left out, as in `notes.create`.
 */
export function resourceOperationName({ pack, name, plural }: ResourceName, verb: ResourceVerb): string {
  if (plural === pack) return `${pack}.${verb}`;
  return `${pack}.${verb}-${verb === "list" ? plural : name}`;
}
