/**
 * The lock path of an entity. Rights, conditions of writes, visibility of events and redaction all go by it. Only this file
 * knows how it is made.
 */
import { packs } from "./packs/packs.ts";
import { resourcePath, resourceTypePath } from "./packs/resource-path.ts";
import type { Touch } from "./rights.ts";

const resources = new Map(
  packs.flatMap((pack) => pack.resources.map((resource) => [resource.type, resource] as const)),
);

/** The path of an entity: `type/id`, or what the resource of its type declares. */
export function pathOfEntity(type: string, id: string): string {
  return resourcePath(resources.get(type) ?? { type }, id);
}

/** The path above every entity of a type. */
export function pathOfType(type: string): string {
  return resourceTypePath(resources.get(type) ?? { type });
}

/** The path of a subject `type/id`. A type has no slash, and an id may have one. */
export function pathOfSubject(subject: string): string {
  const slash = subject.indexOf("/");
  return slash < 0 ? subject : pathOfEntity(subject.slice(0, slash), subject.slice(slash + 1));
}

export const ofEntity = ({ type, id }: { readonly type: string; readonly id: string }): Touch => ({
  paths: [pathOfEntity(type, id)],
});

/** Every entity of the type in the input. */
export const ofEntityType = ({ type }: { readonly type: string }): Touch => ({ paths: [pathOfType(type)] });

/** One entity of a type. Without an id it is the whole type, since the server makes the id of a new entity. */
export const ofEntityOfType =
  (type: string) =>
  ({ id }: { readonly id?: string }): Touch => ({
    paths: [id === undefined ? pathOfType(type) : pathOfEntity(type, id)],
  });
