/**
 * An archive segment: batches as lines of text (see batch-line.ts), compressed with gzip in blocks of about 256 KiB. A
 * block is a whole gzip member. Any gzip tool can read the file from its start, and this module can read a single block.
 * A file never changes once it has its final name.
 */
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, readSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gunzipSync, gzip } from "node:zlib";
import { openRegularFile } from "../../../base/regular-file.ts";
import { batchCharactersMax, readBatchLine } from "../../batch-line.ts";
import { JournalError } from "../../journal.ts";
import { damageError, type StoredBatch } from "../../unseal.ts";
import { syncPath } from "../folder/make-folder.ts";
import type { StepHook } from "../folder/transact.ts";
import { unfinishedName } from "./segment-name.ts";

/** The location of a block in the file, and the first position that it holds. */
export type Block = readonly [first: number, offset: number, length: number];

export interface Segment {
  readonly first: number;
  readonly last: number;
  /** The time of the last batch. */
  readonly time: number;
  /** The hash before the first batch, and the hash of the last batch. */
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
/** Maximum ratio of text to compressed bytes. Deflate cannot exceed it. */
const deflateRatioMax = 1_032;

/** Writes blocks to a file, reads the file back to verify it, and then renames it. `nameAtEnd` is called at the end. */
export async function writeSegmentFile(
  folder: string,
  texts: AsyncIterable<BlockText>,
  { nameAtEnd, step }: { readonly nameAtEnd: () => string; readonly step: StepHook },
): Promise<Pick<Segment, "file" | "sha256" | "bytes" | "blocks">> {
  const temporary = join(folder, unfinishedName);
  const { O_RDWR, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const handle = await open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
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

/** Reads the file back and compares the digest of each block. Returns the SHA-256 of the file. */
async function verifyBlocks(handle: FileHandle, blocks: readonly Block[], digests: readonly string[]): Promise<string> {
  const whole = createHash("sha256");
  for (const [index, [, offset, length]] of blocks.entries()) {
    const packed = Buffer.alloc(length);
    await handle.read(packed, 0, length, offset);
    whole.update(packed);
    const text = (await unpack(packed)).toString();
    if (sha256(text) === digests[index]) continue;
    throw new JournalError("io", "A new archive segment does not read back as it was written.", { certain: true });
  }
  return whole.digest("hex");
}

/** The batches of one block. */
export function readBlock(folder: string, segment: Segment, block: Block): readonly StoredBatch[] {
  const [first, offset, length] = block;
  const packed = readBytes(join(folder, segment.file), segment, offset, length);
  let text: string;
  try {
    text = gunzipSync(packed, { maxOutputLength: textBytesMax(length) }).toString();
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    const what = isTooLarge
      ? `holds more than ${textBytesMax(length)} bytes of text there`
      : "cannot be decompressed there";
    throw damageError(first, "chain", `the archive file ${segment.file} ${what}`);
  }
  return text
    .split("\n")
    .slice(0, -1)
    .map((line, index) => {
      const batch = readBatchLine(line);
      if (batch !== undefined) return batch;
      throw damageError(first, "chain", `line ${index + 1} there in the archive file ${segment.file} is not a batch`);
    });
}

/** Maximum size of the text of a block. A crafted block of some kilobytes could otherwise fill the memory. */
function textBytesMax(packedBytes: number): number {
  return Math.min(batchCharactersMax, packedBytes * deflateRatioMax);
}

function readBytes(path: string, segment: Segment, offset: number, length: number): Buffer {
  let file: number;
  try {
    file = openRegularFile(path);
  } catch (cause) {
    const message = `The entries ${segment.first} to ${segment.last} are in the archive file ${path}, which cannot be opened. Restore the file to read them.`;
    throw new JournalError("archived", message, { certain: true, cause, position: segment.first });
  }
  try {
    // Compared first: a recorded length may be far larger than the file.
    if (fstatSync(file).size === segment.bytes) {
      const bytes = Buffer.alloc(length);
      if (readSync(file, bytes, 0, length, offset) === length) return bytes;
    }
    throw damageError(segment.first, "chain", `the archive file ${segment.file} does not have ${segment.bytes} bytes`);
  } finally {
    closeSync(file);
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
