import { workspaceProject } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { entityTable, isLive } from "../../features/entities/entity-table.ts";
import type { StateReader } from "../../machine/state.ts";
import type { ProjectValue } from "./record-place.ts";
import { roleIn } from "./roles.ts";

interface OwnProjects {
  readonly shown: readonly { readonly cursor: string; readonly item: JsonObject }[];
  /** The last examined project if others may follow. The caller may have no role there. */
  readonly examined: string | undefined;
}

const prefix = `${workspaceProject.type}/`;

/** The next projects in which a principal has a role. */
export function ownProjects(
  state: StateReader,
  principal: string,
  { after, rows: limit }: { readonly after: string | undefined; readonly rows: number },
): OwnProjects {
  const start = after === undefined ? {} : { after: prefix + after };
  const rows = state.rows(entityTable).scan("subject", { prefix, ...start, limit });
  const shown = rows
    .filter(isLive)
    .filter(({ value }) => roleIn(value as unknown as ProjectValue, principal) !== undefined)
    .map(({ id }) => ({ cursor: id, item: { project: id } }));
  return { shown, examined: rows.length < limit ? undefined : rows.at(-1)?.id };
}
