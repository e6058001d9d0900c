import type { FileHandle } from "node:fs/promises";
import { parseAuditLine } from "./audit-line.ts";
import type { AuditCursor, ParsedAuditLine } from "./audit-line.ts";

/** Maximum lines between two syncs. A crash of the host damages only these, and a start examines them in 50 ms. */
export const unsyncedLinesMax = 10_000;

/** The end of a file of lines. */
interface FileTail {
  /** The offset after the last valid line. */
  readonly end: number;
  /** The last valid line; undefined if the file has none. */
  readonly last: ParsedAuditLine | undefined;
}

/** Bytes per read. */
const chunkBytes = 64 * 1024;
const lineFeed = 10;

/**
 * Finds the end of the valid lines. A crash leaves a torn line, zeros, or a hole between lines. A file system may write
 * the blocks of one write in any order. So all lines that may not have been synced are examined, in order.
 */
export async function findFileTail(file: FileHandle): Promise<FileTail> {
  let end = (await file.stat()).size;
  while (end > 0) {
    const start = await startOfLines(file, end);
    const tail = lastValid(await readRange(file, start, end));
    if (tail !== undefined) return { end: start + tail.length, last: tail.last };
    end = start;
  }
  return { end: 0, last: undefined };
}

/** The first line of a file; undefined if it is damaged. */
export async function findFirstLine(file: FileHandle): Promise<AuditCursor | undefined> {
  for (let length = chunkBytes; ; length *= 2) {
    const bytes = await readRange(file, 0, length);
    const feed = bytes.indexOf(lineFeed);
    if (feed >= 0) return parseAuditLine(bytes.toString("utf8", 0, feed));
    if (bytes.length < length) return undefined;
  }
}

/** The length of the valid lines at the beginning of these bytes, and the last of them. */
function lastValid(bytes: Buffer): { readonly length: number; readonly last: ParsedAuditLine } | undefined {
  let [length, last]: [number, ParsedAuditLine | undefined] = [0, undefined];
  for (;;) {
    const feed = bytes.indexOf(lineFeed, length);
    const line = feed < 0 ? undefined : parseAuditLine(bytes.toString("utf8", length, feed));
    if (line === undefined || (last !== undefined && line.prev !== last.position)) break;
    [length, last] = [feed + 1, line];
  }
  return last === undefined ? undefined : { length, last };
}

/** The offset at which the last lines before an offset begin. */
async function startOfLines(file: FileHandle, before: number): Promise<number> {
  let [count, end] = [0, before];
  while (end > 0) {
    const start = Math.max(0, end - chunkBytes);
    const bytes = await readRange(file, start, end);
    for (let at = bytes.lastIndexOf(lineFeed); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(lineFeed, at - 1)) {
      // The line feed at the end closes the last line.
      if (start + at === before - 1) continue;
      count += 1;
      if (count > unsyncedLinesMax) return start + at + 1;
    }
    end = start;
  }
  return 0;
}

async function readRange(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  let done = 0;
  while (done < bytes.length) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, start + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}
