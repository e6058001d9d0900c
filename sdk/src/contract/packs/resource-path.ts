import type { Resource } from "./resource.ts";

type PathSource = Pick<Resource, "type" | "path">;

/**
 * The lock path of a resource. `{n}` in its template is the n-th segment of the id. The path of an id with fewer segments
 * ends before the first missing one.
 */
export function resourcePath({ type, path }: PathSource, id: string): string {
  if (path === undefined) return `${type}/${id}`;
  const segments = id.split("/");
  const indexes = path.split("/").map((name) => placeholder.exec(name)?.[1]);
  const names = path.split("/").map((name, at) => (indexes[at] === undefined ? name : segments[Number(indexes[at])]));
  const end = names.indexOf(undefined);
  if (end >= 0) return names.slice(0, end).join("/");
  // Further segments are below the path, so that two ids never share one.
  const used = 1 + Math.max(...indexes.map((index) => Number(index ?? -1)));
  return [...names, ...segments.slice(used)].join("/");
}

/** The path above every resource of a type: the names before the first placeholder of its template. */
export function resourceTypePath({ type, path }: PathSource): string {
  if (path === undefined) return type;
  const names = path.split("/");
  const first = names.findIndex((name) => placeholder.test(name));
  return (first < 0 ? names : names.slice(0, first)).join("/");
}

const placeholder = /^\{([0-9])\}$/u;
