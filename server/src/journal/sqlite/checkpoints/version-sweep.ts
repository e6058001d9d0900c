/**
 * Deletes versions that no checkpoint references, a few at a time, so that no caller waits for it. The sweep walks through
 * the table in rounds. Each write of a version checks a few others, so obsolete versions stay a fraction of the table.
 */
import { type CheckpointTable, isSameRow, startCursor, type RowVersion } from "./checkpoint-table.ts";

/** The generations that decide which versions are referenced. */
interface RetainedGenerations {
  /** Generations of the committed checkpoints. */
  readonly saved: readonly number[];
  /** The generation that is being written. */
  readonly draft: number | undefined;
  /** Generations that were begun and not committed. */
  readonly unfinished: ReadonlySet<number>;
}

/** Selects from all versions of one row, oldest first, those that no checkpoint references. */
function unreferencedVersions(versions: readonly RowVersion[], kept: RetainedGenerations): readonly RowVersion[] {
  const needed = new Set<RowVersion>();
  for (const bound of kept.saved) {
    const visible = versions.findLast(([, , generation]) => generation <= bound && !kept.unfinished.has(generation));
    if (visible !== undefined) needed.add(visible);
  }
  const oldest = versions.find((version) => needed.has(version));
  // A deletion without an older version deletes nothing, so it is not needed.
  if (oldest?.[3] === null) needed.delete(oldest);
  return versions.filter((version) => !needed.has(version) && version[2] !== kept.draft);
}

export interface VersionSweep {
  /** Checks about `limit` more versions. Returns true at the end of a round. The next step starts another round. */
  step(limit: number, kept: RetainedGenerations): boolean;
}

export function createVersionSweep(table: CheckpointTable): VersionSweep {
  let cursor = startCursor;
  return {
    step(limit, kept) {
      const page = table.after(cursor, limit);
      const last = page.at(-1);
      if (last === undefined) {
        cursor = startCursor;
        return true;
      }
      const obsolete: RowVersion[] = [];
      for (const versions of rowsOf(page, table)) obsolete.push(...unreferencedVersions(versions, kept));
      table.remove(obsolete);
      // The cursor skips the last row, because all its versions were checked, also those beyond the page.
      cursor = [last[0], last[1], Number.MAX_SAFE_INTEGER, null];
      return false;
    },
  };
}

/** Groups a page by row. It also reads the versions of the last row that are beyond the page. */
function rowsOf(page: readonly RowVersion[], table: CheckpointTable): readonly (readonly RowVersion[])[] {
  const rows: RowVersion[][] = [];
  for (const version of page) {
    const current = rows.at(-1);
    if (current !== undefined && isSameRow(current[0], version)) current.push(version);
    else rows.push([version]);
  }
  const open = rows.at(-1);
  for (let last = open?.at(-1); open !== undefined && last !== undefined; last = open.at(-1)) {
    const [next] = table.after(last, 1);
    if (!isSameRow(last, next)) break;
    if (next !== undefined) open.push(next);
  }
  return rows;
}
