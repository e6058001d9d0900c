/**
 * An archive segment: batches as lines of text (see batch-line.ts), compressed with gzip in blocks of about a quarter
 * of a MiB. A block is a whole gzip member, so any tool can read the file from its start, and this one can read a
 * single block without the rest. A file never changes once it has its name.
 */
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gunzipSync, gzip } from "node:zlib";
import { readBatchLine } from "../../batch-line.ts";
import { JournalError } from "../../journal.ts";
import { damageError, type StoredBatch } from "../../unseal.ts";
import { syncPath } from "../folder/make-folder.ts";
import type { StepHook } from "../folder/transact.ts";

/** Where the batches from a position on are in the file. */
export type Block = readonly [first: number, offset: number, length: number];

export interface Segment {
  readonly first: number;
  readonly last: number;
  /** Of the last batch. */
  readonly time: number;
  /** The hash before the first batch, and that of the last one. */
  readonly previous: string;
  readonly hash: string;
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly blocks: readonly Block[];
}

export interface BlockText {
  readonly first: number;
  readonly text: string;
}

const pack = promisify(gzip);
const unpack = promisify(gunzip);
/** There is one writer per folder, so one name will do; what a crash leaves under it is written over or removed. */
export const unfinishedName = "unfinished.tmp";

export function segmentName(first: number, last: number, revision = 0): string {
  const range = [first, last].map((position) => String(position).padStart(12, "0")).join("-");
  return `${range}${revision === 0 ? "" : `.${revision}`}.ndjson.gz`;
}

/**
 * Writes the text of blocks to a file, proves that it is there, and only then gives it its name, which is asked for at
 * the end.
 */
export async function writeSegmentFile(
  folder: string,
  texts: AsyncIterable<BlockText>,
  { nameAtEnd, step }: { readonly nameAtEnd: () => string; readonly step: StepHook },
): Promise<Pick<Segment, "file" | "sha256" | "bytes" | "blocks">> {
  const temporary = join(folder, unfinishedName);
  const handle = await open(temporary, "w+", 0o600);
  const blocks: Block[] = [];
  const digests: string[] = [];
  let bytes = 0;
  try {
    for await (const { first, text } of texts) {
      const packed = await pack(text);
      await handle.writeFile(packed);
      blocks.push([first, bytes, packed.length]);
      digests.push(sha256(text));
      bytes += packed.length;
    }
    step("segment: written");
    await handle.sync();
    step("segment: synced");
    const whole = await verifyBlocks(handle, blocks, digests);
    await handle.close();
    const name = nameAtEnd();
    await rename(temporary, join(folder, name));
    step("segment: named");
    syncPath(folder);
    return { file: name, sha256: whole, bytes, blocks };
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Reads the file back and compares each block with what it should hold. Returns the SHA-256 of the file. */
async function verifyBlocks(handle: FileHandle, blocks: readonly Block[], digests: readonly string[]): Promise<string> {
  const whole = createHash("sha256");
  for (const [index, [, offset, length]] of blocks.entries()) {
    const packed = Buffer.alloc(length);
    await handle.read(packed, 0, length, offset);
    whole.update(packed);
    const text = (await unpack(packed)).toString();
    if (sha256(text) === digests[index]) continue;
    throw new JournalError("io", "A segment of the archive reads back as something else.", { certain: true });
  }
  return whole.digest("hex");
}

/** The batches of one block. */
export function readBlock(folder: string, segment: Segment, block: Block): readonly StoredBatch[] {
  const [first, offset, length] = block;
  const packed = readBytes(join(folder, segment.file), segment, offset, length);
  let text: string;
  try {
    text = gunzipSync(packed).toString();
  } catch {
    throw damageError(first, "chain", `the archive's file ${segment.file} can not be unpacked there`);
  }
  return text
    .split("\n")
    .slice(0, -1)
    .map((line, index) => readBatchLine(line, index + 1));
}

function readBytes(path: string, segment: Segment, offset: number, length: number): Buffer {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (cause) {
    const message = `The entries ${segment.first} to ${segment.last} are in the archive's file ${path}, which can not be opened. Put it back to read them.`;
    throw new JournalError("archived", message, { certain: true, cause, position: segment.first });
  }
  try {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, offset);
    return bytes;
  } finally {
    closeSync(file);
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
