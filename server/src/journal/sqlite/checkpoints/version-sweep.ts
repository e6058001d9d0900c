/**
 * Takes away versions that no checkpoint sees any more, a few at a time, so that nobody waits for it. It goes round
 * and round through the table: whoever writes a version pays for looking at a few others, which keeps what is left
 * over within a part of what is needed.
 */
import { type CheckpointTable, isSameRow, startCursor, type RowVersion } from "./checkpoint-table.ts";

/** What still counts: the checkpoints that are kept, and the generations whose versions must stay or must go. */
export interface RetainedGenerations {
  /** Generations of the kept checkpoints. */
  readonly saved: readonly number[];
  /** The generation that is being written. */
  readonly draft: number | undefined;
  /** Generations that were given up. */
  readonly unfinished: ReadonlySet<number>;
}

/** Which of all versions of one row, oldest first, nobody needs. */
export function unreferencedVersions(
  versions: readonly RowVersion[],
  kept: RetainedGenerations,
): readonly RowVersion[] {
  const needed = new Set<RowVersion>();
  for (const bound of kept.saved) {
    const seen = versions.findLast(([, , generation]) => generation <= bound && !kept.unfinished.has(generation));
    if (seen !== undefined) needed.add(seen);
  }
  const oldest = versions.find((version) => needed.has(version));
  // That a row is gone need not be said if there is no older version that says otherwise.
  if (oldest?.[3] === null) needed.delete(oldest);
  return versions.filter((version) => !needed.has(version) && version[2] !== kept.draft);
}

export interface VersionSweep {
  /** Looks at about so many more versions. Returns true at the end of a round; the next step starts another one. */
  step(limit: number, kept: RetainedGenerations): boolean;
}

export function createVersionSweep(table: CheckpointTable): VersionSweep {
  let place = startCursor;
  return {
    step(limit, kept) {
      const page = table.after(place, limit);
      const last = page.at(-1);
      if (last === undefined) {
        place = startCursor;
        return true;
      }
      const useless: RowVersion[] = [];
      for (const versions of rowsOf(page, table)) useless.push(...unreferencedVersions(versions, kept));
      table.remove(useless);
      // After the last row as a whole: all its versions were looked at, also those beyond the page.
      place = [last[0], last[1], Number.MAX_SAFE_INTEGER, null];
      return false;
    },
  };
}

/** The versions of each row that a page starts; the last row's are read to their end. */
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
