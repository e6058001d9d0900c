/**
 * Looks for damage in a folder's files that reading the batches would not show: broken pages, a log that is cut short,
 * segments that changed. What the batches themselves hold is proven by their hashes, when they are read.
 */
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type FileFault, verifyWal } from "./verify-wal.ts";
import type { Segment } from "../archive/segment-file.ts";

const faultsShown = 20;
const chunk = 1024 * 1024;

export function verifyFiles(
  database: DatabaseSync,
  folder: string,
  segments: () => readonly Segment[],
): readonly FileFault[] {
  return [...verifyPages(database), ...verifyWal(join(folder, "journal.db-wal")), ...verifySegments(folder, segments)];
}

function verifyPages(database: DatabaseSync): readonly FileFault[] {
  try {
    const rows = database.prepare(`PRAGMA integrity_check(${faultsShown})`).all();
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
      const found = digestOf(join(folder, file));
      if (found === current.sha256) return [];
      const what = found === undefined ? "it can not be read" : "it is not what was written";
      // An erasure may have put another file in its place meanwhile. That one must be good.
      const now = segments().find(({ first }) => first === segment.first);
      if (now === undefined || now.file === current.file) return [{ file, what, position: segment.first }];
      current = now;
    }
  });
}

/** SHA-256 of a file, or nothing if it can not be read. */
export function digestOf(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const digest = createHash("sha256");
    const bytes = Buffer.alloc(chunk);
    for (let size = readSync(file, bytes); size > 0; size = readSync(file, bytes))
      digest.update(bytes.subarray(0, size));
    return digest.digest("hex");
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
