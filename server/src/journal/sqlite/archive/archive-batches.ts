/**
 * Moves old batches to segment files, in steps, while commands go on.
 *
 * Nothing is ever in neither place: a segment is on the disk, synced and read back, before the journal says that its
 * batches are there; only then are their rows deleted, a few at a time. A kill leaves a file that nobody knows of yet,
 * which is removed at the next open, or rows that the archive covers, which are not looked at and deleted then.
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ArchiveResult } from "../../journal.ts";
import type { ArchiveParts } from "./archive-parts.ts";
import { unfinishedName } from "./segment-file.ts";
import { transact } from "../folder/transact.ts";
import { writeSegment } from "./write-segment.ts";

/** So many rows are deleted, and pages given back, before others run: about a millisecond. */
const rowsPerStep = 32;
const pagesPerStep = 128;

export async function archiveBatches(parts: ArchiveParts, to: number): Promise<ArchiveResult> {
  const { segments, recent, meta, database, step } = parts;
  await deleteArchivedRows(parts);
  let batchCount = 0;
  let segmentCount = 0;
  // The newest batch stays: every append compares with it.
  const newest = recent.startOf(recent.head().position);
  const end = recent.startOf(Math.min(to + 1, newest)) - 1;
  while (segments.end() < end) {
    const moved = await writeSegment(parts, end);
    step("archive: segment written");
    transact(database, () => {
      segments.put(moved.segment);
      meta.set("leftovers", "yes");
    });
    segments.refresh();
    step("archive: segment recorded");
    batchCount += moved.batchCount;
    segmentCount += 1;
    await deleteArchivedRows(parts);
  }
  return { to: segments.end(), batchCount, segmentCount };
}

/** Removes what a kill left behind: files that the journal does not know of, and rows that are archived. */
export function cleanUpArchive({ segments, recent }: Pick<ArchiveParts, "segments" | "recent">): void {
  const known = new Set(segments.list().map(({ file }) => file));
  for (const name of namesIn(segments.folder)) {
    const last = /^\d+-(\d+)\b.*\.ndjson\.gz$/.exec(name)?.[1];
    // A file beyond the head would be another history's, and maybe its only copy: it is left alone.
    const isOurs = name === unfinishedName || (last !== undefined && Number(last) <= recent.head().position);
    if (isOurs && !known.has(name)) rmSync(join(segments.folder, name), { force: true });
  }
}

export async function deleteArchivedRows(parts: ArchiveParts): Promise<void> {
  const { database, segments, throwIfClosing, yieldToLoop, step } = parts;
  const remove = database.prepare(
    "DELETE FROM batches WHERE first IN (SELECT first FROM batches WHERE first <= ? ORDER BY first LIMIT ?)",
  );
  while (Number(remove.run(segments.end(), rowsPerStep).changes) > 0) {
    step("archive: rows deleted");
    await yieldToLoop();
    throwIfClosing();
  }
  const vacuum = database.prepare(`PRAGMA incremental_vacuum(${pagesPerStep})`);
  const free = database.prepare("PRAGMA freelist_count");
  const freePages = (): number => Number(free.get()?.["freelist_count"]);
  for (let before = freePages(), after = -1; before > 0 && after !== before; before = after) {
    vacuum.all();
    after = freePages();
    // A file that was made without this ability keeps its free pages and fills them again.
    if (after === before) break;
    await yieldToLoop();
    throwIfClosing();
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nothing was archived yet.
    return [];
  }
}
