/**
 * Copies a journal into an empty folder while it may be in use. It uses SQLite's backup, because a database file that is
 * copied with half of its WAL is not a valid journal. The copy is verified: every batch must follow the one before it.
 *
 * The source may be hostile. Nothing is read or written outside the two folders, and nothing is overwritten. Checkpoints and
 * the index are not copied: the chain does not cover them, so a crafted one could add rights that no entry granted.
 */
import { closeSync, createReadStream, createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { backup } from "node:sqlite";
import { pipeline } from "node:stream/promises";
import { openRegularFile } from "../../../base/regular-file.ts";
import { type Head, JournalError } from "../../journal.ts";
import { genesis } from "../../seal.ts";
import { damageError, headOf, unseal } from "../../unseal.ts";
import { syncPath } from "./make-folder.ts";
import { createPrivateFile } from "./open-database.ts";
import { fileDigest } from "./verify-files.ts";
import { openReadOnly, openSqliteReader } from "./sqlite-reader.ts";
import type { Segment } from "../archive/segment-file.ts";

interface CopyProgress {
  /** Copied bytes of the database and of the archive. */
  readonly doneBytes: number;
  readonly totalBytes: number;
}

export interface CopyOptions {
  readonly from: string;
  readonly to: string;
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
  /** Yields to the event loop while the copy is verified. */
  readonly yieldToLoop?: (() => Promise<void>) | undefined;
}

export interface CopyResult {
  readonly head: Head;
  readonly bytes: number;
  readonly segmentCount: number;
}

const pagesPerStep = 2_048;
/** Maximum attempts to copy. An erasure may replace a segment file during the copy, and all files are then copied again. */
const attemptCountMax = 3;

export async function copyJournal(options: CopyOptions): Promise<CopyResult> {
  const { from, to, onProgress } = options;
  for (let attempt = 1; ; attempt += 1) {
    // Each attempt begins with an empty folder, so that no file is ever overwritten.
    for (const name of ["journal.db", "journal.db-wal", "journal.db-shm", "archive"]) {
      await rm(join(to, name), { recursive: true, force: true });
    }
    const bytes = await copyDatabase(from, to, onProgress);
    const segments = segmentsIn(to);
    const failure = await copySegments(options, segments, bytes);
    if (failure !== undefined && attempt < attemptCountMax) continue;
    if (failure !== undefined) throw failure;
    const head = await verifyCopy(options);
    syncPath(to);
    const archived = segments.reduce((sum, segment) => sum + segment.bytes, 0);
    return { head, bytes: bytes + archived, segmentCount: segments.length };
  }
}

async function copyDatabase(from: string, to: string, onProgress?: (progress: CopyProgress) => void): Promise<number> {
  const source = openReadOnly(from);
  const target = join(to, "journal.db");
  try {
    createPrivateFile(target);
    // One transaction for the whole copy. Without it, every write by the owner would restart the copy.
    source.exec("BEGIN");
    const pages = Number(source.prepare("PRAGMA page_count").get()?.["page_count"]);
    const pageSize = Number(source.prepare("PRAGMA page_size").get()?.["page_size"]);
    source.prepare("SELECT count(*) FROM sqlite_schema").get();
    const totalBytes = pages * pageSize;
    await backup(source, target, {
      rate: pagesPerStep,
      progress: ({ totalPages, remainingPages }) => {
        onProgress?.({ doneBytes: (totalPages - remainingPages) * pageSize, totalBytes });
      },
    });
    return totalBytes;
  } finally {
    source.close();
  }
}

function segmentsIn(folder: string): readonly Segment[] {
  const reader = openSqliteReader(folder);
  try {
    return reader.segments();
  } finally {
    reader.close();
  }
}

/** Copies the segments and compares their digests. Returns the first error and skips the remaining segments. */
async function copySegments(
  { from, to, onProgress }: CopyOptions,
  segments: readonly Segment[],
  databaseBytes: number,
): Promise<JournalError | undefined> {
  if (segments.length === 0) return undefined;
  await mkdir(join(to, "archive"), { mode: 0o700 });
  const totalBytes = segments.reduce((sum, { bytes }) => sum + bytes, databaseBytes);
  let doneBytes = databaseBytes;
  for (const segment of segments) {
    const target = join(to, "archive", segment.file);
    try {
      await copySegment(join(from, "archive", segment.file), target, segment.bytes);
    } catch (cause) {
      const message = `The archive file ${segment.file} (positions ${segment.first} to ${segment.last}) cannot be copied. Restore the file, then copy again.`;
      return new JournalError("archived", message, { certain: true, cause, position: segment.first });
    }
    syncPath(target);
    if (fileDigest(target) !== segment.sha256) {
      return damageError(segment.first, "chain", `the archive file ${segment.file} does not match its recorded digest`);
    }
    doneBytes += segment.bytes;
    onProgress?.({ doneBytes, totalBytes });
  }
  syncPath(join(to, "archive"));
  return undefined;
}

/** Copies at most the recorded bytes. `wx` follows no link and overwrites nothing. A larger file fails its digest. */
async function copySegment(from: string, to: string, bytes: number): Promise<void> {
  const source = openRegularFile(from);
  try {
    const content = createReadStream(from, { fd: source, autoClose: false, start: 0, end: bytes - 1 });
    await pipeline(content, createWriteStream(to, { flags: "wx", mode: 0o600 }));
  } finally {
    closeSync(source);
  }
}

/** Verifies the chain from the first batch to the last. */
async function verifyCopy({ to, yieldToLoop = () => Promise.resolve() }: CopyOptions): Promise<Head> {
  const reader = openSqliteReader(to);
  try {
    let head = genesis;
    for (const batch of reader.batches(1)) {
      if (batch.first !== head.position + 1)
        throw damageError(head.position + 1, "chain", "the copy does not hold this position");
      unseal(batch, head.hash);
      head = headOf(batch);
      await yieldToLoop();
    }
    return head;
  } finally {
    reader.close();
  }
}
