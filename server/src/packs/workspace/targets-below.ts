/** The published files, and the running publishes, of a project, a map or a sketch and of everything below it. */
import { workspacePath } from "@holdfast/sdk/contract";
import { gap } from "../../features/locks/tables/lock-tables.ts";
import type { StateReader } from "../../machine/state.ts";
import { publishTable, targetTable } from "../files/file-tables.ts";
import type { PublishRow } from "../files/file-tables.ts";
import { placeOfId } from "./record-place.ts";

/** A target may be the place itself. Exports and uploads of a project are deleted with it. Its backups stay. */
function pathsOf(place: string): readonly string[] {
  const { project, map, sketch } = placeOfId(place);
  const own = workspacePath({ project, map, sketch });
  if (map === undefined) return [own, `export/${project}`, `import/${project}`];
  return sketch === undefined ? [own, `export/${place}`] : [own];
}

/** The targets at and below a place, given by its id. */
export function targetsBelow(state: StateReader, place: string, limit: number): readonly string[] {
  return pathsOf(place)
    .flatMap((path) => targetsUnder(state, path, limit))
    .slice(0, limit);
}

/** The targets at and below a path. */
export function targetsUnder(state: StateReader, path: string, limit: number): readonly string[] {
  const rows = state.rows(targetTable);
  const own = rows.get(path);
  const below = rows.scan("target", { prefix: `${path}/`, limit });
  return [...(own === undefined ? [] : [own]), ...below].map(({ target }) => target);
}

/** The running publishes at and below a place. */
export function publishesBelow(state: StateReader, place: string, limit: number): readonly PublishRow[] {
  const rows = state.rows(publishTable);
  const prefixes = pathsOf(place).flatMap((path) => [`${path}${gap}`, `${path}/`]);
  return prefixes.flatMap((prefix) => rows.scan("target", { prefix, limit })).slice(0, limit);
}
