/**
 * Removes a payload from all files of the folder.
 *
 * - **Database.** The line is overwritten in place and padded with blanks to its old length. A row that keeps its size
 *   does not move, so no copy of it remains on another page.
 * - **Moved rows.** Rows move when the archive deletes their neighbours. SQLite's `secure_delete` does not clear the
 *   bytes that a move leaves between the cells of a page (measured: 6 of 8,434). The file is then rebuilt once.
 * - **Archive.** The segment is written again without the payload, under another name.
 *
 * The transaction that erases also records the remaining steps. After a kill or a failure, the next open or the next
 * erasure completes them. A retry of the same erasure does not write the payload again.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { batchLine } from "../batch-line.ts";
import { eraseFromBatch } from "../erase-from-batch.ts";
import { noEntry } from "../entry-page.ts";
import { deleteArchivedRows, cleanUpArchive } from "./archive/archive-batches.ts";
import type { ArchiveParts } from "./archive/archive-parts.ts";
import type { SqliteCheckpoints } from "./checkpoints.ts";
import { mapFileError } from "./map-error.ts";
import type { MetaTable } from "./meta.ts";
import { type BlockText, readBlock, type Segment, writeSegmentFile } from "./archive/segment-file.ts";
import { readSegmentName, segmentName } from "./archive/segment-name.ts";
import { transact } from "./folder/transact.ts";
import { truncateWal } from "./folder/truncate-wal.ts";

export interface EraseParts extends ArchiveParts {
  readonly checkpoints: SqliteCheckpoints;
}

export async function erasePayload(parts: EraseParts, position: number, by: number): Promise<void> {
  const { recent, segments } = parts;
  if (position < 1 || position > recent.head().position) throw noEntry(position, recent.head().position);
  // Rows that are already in the archive would keep the payload.
  await deleteArchivedRows(parts);
  if (position <= segments.end()) await eraseInArchive(parts, position, by);
  else eraseInDatabase(parts, position, by);
  parts.step("erase: payload replaced");
  await finishErasure(parts);
}

/** Completes the recorded steps of an erasure, if one is unfinished. */
export async function finishErasure(parts: EraseParts): Promise<void> {
  const { database, meta, checkpoints, step, yieldToLoop } = parts;
  const by = meta.get("purging");
  if (by === undefined) return;
  cleanUpArchive(parts);
  step("erase: old segment removed");
  for (const _step of checkpoints.purge(Number(by))) await yieldToLoop();
  step("erase: checkpoints purged");
  if (meta.get("leftovers") !== undefined) {
    await deleteArchivedRows(parts);
    database.exec("VACUUM");
    meta.delete("leftovers");
  }
  step("erase: file rebuilt");
  truncateWal(database, "journal.db");
  step("erase: log emptied");
  meta.delete("purging");
}

function eraseInDatabase({ database, recent, meta }: EraseParts, position: number, by: number): void {
  const stored = recent.holding(position);
  if (stored === undefined) throw noEntry(position, recent.head().position);
  const next = eraseFromBatch(stored, position, by, { keepSize: true });
  if (next === stored) return;
  const update = database.prepare("UPDATE batches SET lines = ? WHERE first = ?");
  transact(database, () => {
    notePurge(meta, by);
    update.run(next.lines, stored.first);
  });
}

async function eraseInArchive(parts: EraseParts, position: number, by: number): Promise<void> {
  const { database, segments, meta } = parts;
  const segment = segments.segmentOf(position);
  if (segment === undefined) throw noEntry(position, segments.end());
  const stored = segments.holding(position);
  if (eraseFromBatch(stored, position, by) === stored) return;
  const next = await rewriteSegment(parts, segment, position, by);
  transact(database, () => {
    notePurge(meta, by);
    segments.put(next);
  });
  segments.refresh();
  parts.step("erase: new segment recorded");
  rmSync(join(segments.folder, segment.file), { force: true });
}

function notePurge(meta: MetaTable, by: number): void {
  meta.set("purging", String(Math.max(by, Number(meta.get("purging") ?? 0))));
}

async function rewriteSegment(parts: EraseParts, segment: Segment, position: number, by: number): Promise<Segment> {
  const { folder } = parts.segments;
  async function* texts(): AsyncGenerator<BlockText> {
    for (const block of segment.blocks) {
      const batches = readBlock(folder, segment, block).map((batch) =>
        batch.first <= position && position < batch.first + batch.count ? eraseFromBatch(batch, position, by) : batch,
      );
      yield { first: block[0], text: batches.map((batch) => batchLine(batch) + "\n").join("") };
      await parts.yieldToLoop();
      parts.throwIfClosing();
    }
  }
  const revision = (readSegmentName(segment.file)?.revision ?? 0) + 1;
  try {
    const nameAtEnd = (): string => segmentName(segment.first, segment.last, revision);
    return { ...segment, ...(await writeSegmentFile(folder, texts(), { nameAtEnd, step: parts.step })) };
  } catch (error) {
    throw mapFileError(error, folder);
  }
}
