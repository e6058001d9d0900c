/**
 * Writes the lines of the audit file. The last whole line of the file is the cursor. A line that the file lacks was not
 * written, and a line that it has is never written again. After an error the writer must be opened again, which
 * examines the end of the file.
 */
import { rename, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { auditLine, lostLine } from "./audit-line.ts";
import type { AuditCursor, AuditEntry } from "./audit-line.ts";
import {
  auditFileName,
  deleteOldFiles,
  makeAuditFolder,
  openForAppending,
  readCursor,
  rotatedFiles,
  rotatedName,
  syncFolder,
  writeCursor,
} from "./audit-folder.ts";
import { findFileTail, findFirstLine, unsyncedLinesMax } from "./file-tail.ts";

export interface AuditWriterOptions {
  readonly folder: string;
  /** Size at which the file is rotated. */
  readonly bytesMax: number;
  /** Rotated files to keep; 0 keeps all. */
  readonly filesKept: number;
  readonly report: (message: string, cause: unknown) => void;
}

/** Maximum time that lines wait for a sync. Each sync competes with the syncs of the journal, so lines share one. */
const syncWaitMs = 1_000;

export class AuditWriter {
  readonly #options: AuditWriterOptions;
  readonly #path: string;
  #file: FileHandle;
  #size = 0;
  /** The size at the last sync, and the lines since. */
  #syncedSize = 0;
  #unsyncedLines = 0;
  /** When the first of these lines was written. */
  #unsyncedSinceMs: number | undefined;
  /** The first line of the file, which names it when it is rotated. */
  #first: AuditCursor | undefined;
  #last: AuditCursor | undefined;

  private constructor(options: AuditWriterOptions, file: FileHandle) {
    this.#options = options;
    this.#path = join(options.folder, auditFileName);
    this.#file = file;
  }

  /** Opens the file, removes a torn end, and finds the position to continue from. */
  static async open(options: AuditWriterOptions): Promise<AuditWriter> {
    await makeAuditFolder(options.folder);
    const writer = new AuditWriter(options, await openForAppending(join(options.folder, auditFileName)));
    try {
      await writer.#resume();
    } catch (error) {
      await writer.close();
      throw error;
    }
    return writer;
  }

  /** The last line; undefined if no line was ever written. */
  get last(): AuditCursor | undefined {
    return this.#last;
  }

  /** Appends the lines of entries. They are durable after the next sync. */
  async append(entries: readonly AuditEntry[]): Promise<void> {
    const [first, last] = [entries[0], entries.at(-1)];
    if (first === undefined || last === undefined) return;
    if (this.#unsyncedLines + entries.length > unsyncedLinesMax) await this.sync();
    const before = this.#last?.position ?? 0;
    const lines = entries.map((entry, index) => auditLine(entry, entries[index - 1]?.position ?? before));
    await this.#write(lines, first, last);
  }

  /**
   * Makes the lines durable. After a failed sync they can be read, and yet the disk may not have them. So they are cut off,
   * and written again when the file is opened again.
   */
  async sync(): Promise<void> {
    if (this.#syncedSize === this.#size) return;
    try {
      await this.#file.datasync();
    } catch (error) {
      await this.#file.truncate(this.#syncedSize).catch(() => undefined);
      throw error;
    }
    this.#markSynced();
  }

  /** Time until lines must be synced; undefined if all are. */
  syncDelayMs(nowMs: number): number | undefined {
    if (this.#syncedSize === this.#size) return undefined;
    this.#unsyncedSinceMs ??= nowMs;
    return Math.max(0, this.#unsyncedSinceMs + syncWaitMs - nowMs);
  }

  /** Marks the lines after a position as lost. The next line continues from it. */
  async appendLost(at: AuditCursor): Promise<void> {
    await this.#write([lostLine(at, this.#last?.position ?? 0)], at, at);
    await this.sync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #markSynced(): void {
    this.#syncedSize = this.#size;
    this.#unsyncedLines = 0;
    this.#unsyncedSinceMs = undefined;
  }

  async #write(lines: readonly string[], first: AuditCursor, last: AuditCursor): Promise<void> {
    await this.#examine();
    const bytes = Buffer.from(`${lines.join("\n")}\n`);
    // `writeFile` repeats until all bytes are written. If it fails half-way, the next open removes the torn line.
    await this.#file.writeFile(bytes);
    this.#size += bytes.length;
    this.#unsyncedLines += lines.length;
    this.#first ??= { epoch: first.epoch, position: first.position };
    this.#last = { epoch: last.epoch, position: last.position };
    if (this.#size >= this.#options.bytesMax) await this.#rotate(this.#first);
  }

  /** Other programs may truncate or move the file. The lines continue after the last one that this writer wrote. */
  async #examine(): Promise<void> {
    const [own, named] = await Promise.all([
      this.#file.stat(),
      stat(this.#path).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }),
    ]);
    const isMoved = named?.ino !== own.ino || named.dev !== own.dev;
    if (!isMoved && own.size === this.#size) return;
    if (!isMoved && own.size > this.#size) throw new Error(`another program wrote to ${this.#path}`);
    // The cursor says that all lines up to it are durable, also those of a file that was moved.
    await this.sync();
    if (this.#last !== undefined) await writeCursor(this.#options.folder, this.#last);
    const what = isMoved ? "moved or deleted" : "truncated";
    this.#options.report(
      `another program has ${what} ${this.#path}, which Holdfast rotates itself; the lines continue without a repeat`,
      undefined,
    );
    if (isMoved) await this.#reopen();
    this.#size = (await this.#file.stat()).size;
    this.#markSynced();
    this.#first = undefined;
  }

  async #reopen(): Promise<void> {
    const file = await openForAppending(this.#path);
    await this.#file.close();
    this.#file = file;
  }

  /** Only names change, so a crash between any two of these steps is harmless. */
  async #rotate(first: AuditCursor): Promise<void> {
    const { folder, filesKept } = this.#options;
    await this.sync();
    if (this.#last !== undefined) await writeCursor(folder, this.#last);
    await rename(this.#path, join(folder, rotatedName(first)));
    await this.#reopen();
    await syncFolder(folder);
    this.#size = 0;
    this.#markSynced();
    this.#first = undefined;
    await deleteOldFiles(folder, filesKept);
  }

  async #resume(): Promise<void> {
    const { end, last } = await findFileTail(this.#file);
    if (end < (await this.#file.stat()).size) await this.#file.truncate(end);
    // The process before may have ended before its sync.
    await this.#file.datasync();
    this.#size = end;
    this.#markSynced();
    this.#first = end === 0 ? undefined : await findFirstLine(this.#file);
    this.#last = last ?? (await this.#lastOfOlder());
  }

  /** An empty file follows the newest rotated one. If that was removed, the cursor is at most a few lines behind. */
  async #lastOfOlder(): Promise<AuditCursor | undefined> {
    const cursor = readCursor(this.#options.folder);
    const newest = (await rotatedFiles(this.#options.folder)).at(-1);
    if (newest === undefined) return cursor;
    const file = await openForAppending(newest);
    try {
      const { last } = await findFileTail(file);
      return isAfter(cursor, last) ? cursor : last;
    } finally {
      await file.close();
    }
  }
}

function isAfter(cursor: AuditCursor | undefined, last: AuditCursor | undefined): boolean {
  if (cursor === undefined || last === undefined) return cursor !== undefined;
  return cursor.epoch === last.epoch ? cursor.position > last.position : cursor.epoch > last.epoch;
}
