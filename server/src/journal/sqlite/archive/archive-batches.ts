/**
 * Moves old batches to segment files, in steps, while the engine executes commands.
 *
 * A batch is always in at least one of the two stores:
 * 1. The segment file is written, synced and read back.
 * 2. The journal records the segment.
 * 3. The rows of its batches are deleted, a few at a time.
 *
 * A kill between 1 and 2 leaves an unrecorded file. A kill during 3 leaves rows that are archived already. Readers ignore
 * both, and the next open removes them.
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ArchiveResult } from "../../journal.ts";
import type { ArchiveParts } from "./archive-parts.ts";
import { readSegmentName, unfinishedName } from "./segment-name.ts";
import { transact } from "../folder/transact.ts";
import { writeSegment } from "./write-segment.ts";

/** Rows deleted, and pages released, in one step. A step takes about a millisecond and then yields to the event loop. */
const rowsPerStep = 32;
const pagesPerStep = 128;

export async function archiveBatches(parts: ArchiveParts, to: number): Promise<ArchiveResult> {
  const { segments, recent, meta, database, step } = parts;
  await deleteArchivedRows(parts);
  let batchCount = 0;
  let segmentCount = 0;
  // The newest batch stays in the database, because every append compares with it.
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

/** Removes segment files that the journal did not record. A kill leaves such files. */
export function cleanUpArchive({ segments, recent }: Pick<ArchiveParts, "segments" | "recent">): void {
  const known = new Set(segments.list().map(({ file }) => file));
  for (const name of namesIn(segments.folder)) {
    const last = readSegmentName(name)?.last;
    // A file beyond the head belongs to another history and may be its only copy, so it stays.
    const isRemovable = name === unfinishedName || (last !== undefined && last <= recent.head().position);
    if (isRemovable && !known.has(name)) rmSync(join(segments.folder, name), { force: true });
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
    // A file that was created without incremental vacuum keeps its free pages and reuses them.
    if (after === before) break;
    await yieldToLoop();
    throwIfClosing();
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The folder is missing: nothing was archived yet.
    return [];
  }
}
