/**
 * Finds damage in the files of a folder that a read of the batches does not reveal: corrupt pages, a truncated WAL, changed
 * segments. The content of a batch is verified by its hashes when it is read.
 */
import { createHash } from "node:crypto";
import { closeSync, readSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { openRegularFile } from "../../../base/regular-file.ts";
import { type FileFault, verifyWal } from "./verify-wal.ts";
import type { Segment } from "../archive/segment-file.ts";

/** Maximum number of page faults in a report. */
const faultCountMax = 20;
const chunkBytes = 1024 * 1024;

export function verifyFiles(
  database: DatabaseSync,
  folder: string,
  segments: () => readonly Segment[],
): readonly FileFault[] {
  return [...verifyPages(database), ...verifyWal(join(folder, "journal.db-wal")), ...verifySegments(folder, segments)];
}

function verifyPages(database: DatabaseSync): readonly FileFault[] {
  try {
    const rows = database.prepare(`PRAGMA integrity_check(${faultCountMax})`).all();
    const found = rows.map((row) => String(row["integrity_check"])).filter((text) => text !== "ok");
    return found.map((what) => ({ file: "journal.db", what }));
  } catch (error) {
    return [{ file: "journal.db", what: error instanceof Error ? error.message : String(error) }];
  }
}

function verifySegments(folder: string, segments: () => readonly Segment[]): readonly FileFault[] {
  return segments().flatMap((segment) => {
    for (let current = segment; ;) {
      const file = join("archive", current.file);
      const found = fileDigest(join(folder, file));
      if (found === current.sha256) return [];
      const what = found === undefined ? "it cannot be read" : "it does not match its recorded digest";
      // A concurrent erasure may have replaced the file. The new file must match its own digest.
      const latest = segments().find(({ first }) => first === segment.first);
      if (latest === undefined || latest.file === current.file) return [{ file, what, position: segment.first }];
      current = latest;
    }
  });
}

/** The SHA-256 of a file, or undefined if the file cannot be read. */
export function fileDigest(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openRegularFile(path);
    const digest = createHash("sha256");
    const bytes = Buffer.alloc(chunkBytes);
    for (let size = readSync(file, bytes); size > 0; size = readSync(file, bytes))
      digest.update(bytes.subarray(0, size));
    return digest.digest("hex");
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
