/**
 * The changes since the version that the caller read. It reads the history up to the recorded position and prints items
 * by id. So a replay of the refusal has the same explanation, also after names have changed.
 */
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { Engine } from "../../../engine/engine.ts";
import { authorOf } from "../../../features/entities/entity-table.ts";
import { JournalError } from "../../../journal/journal.ts";
import { functionDifference, textDifferenceOf } from "../../../packs/programs/language/difference.ts";
import { noNames } from "../../../packs/programs/language/names.ts";
import { itemPath } from "../../../packs/programs/program-value.ts";
import type { Explain } from "../../calls/explain.ts";
import { entityVersions } from "../../reads/entity-versions.ts";
import { findByHash } from "./past-function.ts";
import type { FoundBase } from "./past-function.ts";

interface Conflict extends JsonObject {
  readonly item: string;
  readonly expected_hash: string;
}

const reasons: Readonly<Record<Exclude<FoundBase["kind"], "found">, string>> = {
  unknown: "unknown: the history has no version with the expected hash",
  archived: "archived: the history of that time is in an archive",
  erased: "erased: data of that time was erased",
};

export const explainHashConflict: Explain = async ({ data }, { services: { engine }, position }) => {
  const conflicts = data["conflicts"] as unknown as readonly Conflict[];
  const programId = data["program_id"] as string;
  const explained: JsonObject[] = [];
  for (const conflict of conflicts) explained.push(await explainConflict(engine, { programId, conflict, position }));
  return { conflicts: explained };
};

interface ConflictPoint {
  readonly programId: string;
  readonly conflict: Conflict;
  readonly position: number;
}

async function explainConflict(engine: Engine, { programId, conflict, position }: ConflictPoint): Promise<JsonObject> {
  const subject = itemPath(programId, conflict.item);
  const key = conflict.item.startsWith("type/") ? "type_id" : "function_id";
  const { item: _item, id, ...hashes } = conflict;
  const shown: JsonObject = { [key]: id as Json, ...hashes };
  const newest = await newestVersion(engine, subject, position);
  if (typeof newest === "string") return { ...shown, changes: null, changes_reason: reasons[newest] };
  const { version, entry, value: current } = newest;
  const by = { changed_by: authorOf(entry), changed_at: new Date(entry.time).toISOString(), position: entry.position };
  const found = await findByHash(engine, subject, {
    ...{ hash: conflict.expected_hash, version, before: position + 1 },
  });
  if (found.kind !== "found") return { ...shown, ...by, changes: null, changes_reason: reasons[found.kind] };
  const { base, newer } = found;
  const isFunction = base.value.kind === "function" && current.kind === "function";
  if (!isFunction) return { ...shown, ...by, versions_between: newer.length, changes: null };
  const options = { names: noNames, module: current.module };
  const pair = [base.value, current] as const;
  return {
    ...{ ...shown, ...by, versions_between: newer.length },
    text_diff: textDifferenceOf(pair[0], pair[1] as never, options),
    changes: functionDifference(pair[0], pair[1] as never, options) as unknown as Json,
  };
}

async function newestVersion(engine: Engine, subject: string, position: number) {
  try {
    const found = await entityVersions(engine, subject, { from: "latest", to: Infinity, before: position + 1 });
    if (found.kind === "erased") return "erased" as const;
    const [newest] = found.kind === "found" ? found.versions : [];
    if (newest?.value === undefined) return "unknown" as const;
    return { ...newest, value: newest.value as unknown as { readonly kind: string; readonly module: string } };
  } catch (error) {
    if (error instanceof JournalError && error.code === "archived") return "archived" as const;
    throw error;
  }
}
