/** Past versions of a function, found by version, position or hash. */
import type { Engine } from "../../../engine/engine.ts";
import { findEntity, subjectOf } from "../../../features/entities/entity-table.ts";
import type { Version } from "../../../features/entities/version-trail.ts";
import { JournalError } from "../../../journal/journal.ts";
import type { Refusal } from "../../../machine/entry.ts";
import { refusal } from "../../../machine/refusal.ts";
import type { FunctionValue, TypeValue } from "../../../packs/programs/language/function-value.ts";
import { programType } from "../../../packs/programs/program-value.ts";
import { entityVersions } from "../../reads/entity-versions.ts";

interface HashedVersion extends Omit<Version, "value"> {
  readonly value: FunctionValue | TypeValue;
}

/** Maximum versions that a search by hash walks back, and the number that its first step reads. */
const walkMax = 1_000;
const walkFirst = 16;

export type FoundBase =
  | { readonly kind: "found"; readonly base: HashedVersion; readonly newer: readonly HashedVersion[] }
  | { readonly kind: "unknown" | "archived" | "erased" };

const isHashed = (version: Version): version is Version & HashedVersion =>
  typeof (version.value as { readonly hash?: unknown } | undefined | null)?.hash === "string";

/**
 * Walks back from a version to the newest one with this hash. A step that reaches an erased version is made smaller, so
 * an erasure hides only what is older.
 */
export async function findByHash(
  engine: Engine,
  subject: string,
  { hash, version, before }: { readonly hash: string; readonly version: number; readonly before: number },
): Promise<FoundBase> {
  let [read, limit] = [0, Math.min(walkMax, version)];
  let absent: "unknown" | "erased" = "unknown";
  try {
    while (read < limit) {
      const size = absent === "unknown" ? Math.max(walkFirst, 8 * read) : Math.ceil((read + limit) / 2);
      const walk = Math.min(limit, size);
      const found = await entityVersions(engine, subject, { from: version - walk + 1, to: version, before });
      if (found.kind === "missing") return { kind: absent };
      if (found.kind === "erased") {
        absent = "erased";
        limit = walk - 1;
        continue;
      }
      const versions = found.versions.filter(isHashed);
      const at = versions.findLastIndex(({ value }) => value.hash === hash);
      const base = versions[at];
      if (base !== undefined) return { kind: "found", base, newer: versions.slice(at + 1) };
      read = walk;
    }
    return { kind: absent };
  } catch (error) {
    if (error instanceof JournalError && error.code === "archived") return { kind: "archived" };
    throw error;
  }
}

export interface FunctionTarget {
  readonly program_id: string;
  readonly function_id: string;
}

interface PastQuery {
  readonly version?: number | undefined;
  readonly position?: number | undefined;
  readonly hash?: string | undefined;
}

/** One past version of a function. */
export async function pastFunction(
  engine: Engine,
  { program_id, function_id }: FunctionTarget,
  { version, position, hash }: PastQuery,
): Promise<HashedVersion | Refusal> {
  const id = `${program_id}/function/${function_id}`;
  const row = await engine.read((state) => findEntity(state, { type: programType, id }));
  if (row === undefined) return refusal("programs.not_found", { kind: "function", id: function_id, nearest: [] });
  const subject = subjectOf(programType, id);
  if (hash !== undefined) {
    const found = await findByHash(engine, subject, { hash, version: row.version, before: row.position + 1 });
    if (found.kind === "found") return found.base;
    if (found.kind === "erased") return refusal("entry_erased", { type: programType, id });
    if (found.kind === "archived") return refusal("history_archived", { reason: "archived" });
    return refusal("version_not_found", { type: programType, id, hash, current_version: row.version });
  }
  const range =
    position === undefined
      ? { from: version ?? row.version, to: version ?? row.version, before: row.position + 1 }
      : { from: "latest" as const, to: Infinity, before: Math.min(position, engine.head.position) + 1 };
  const found = await entityVersions(engine, subject, range);
  if (found.kind === "erased") return refusal("entry_erased", { type: programType, id, erased_by: found.by });
  const [first] = found.kind === "found" ? found.versions : [];
  if (first !== undefined && isHashed(first)) return first;
  return refusal("version_not_found", { type: programType, id, version: version ?? 0, current_version: row.version });
}
