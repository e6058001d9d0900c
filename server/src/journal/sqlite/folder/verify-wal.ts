/**
 * Verifies SQLite's write-ahead log by its own checksums (https://www.sqlite.org/fileformat2.html#walformat).
 *
 * SQLite reads the WAL up to the first invalid frame and ignores the rest. After a crash this is correct, because the rest
 * was never acknowledged. It is silently wrong if a bit of an older frame has changed.
 *
 * The two cases can be distinguished in part. Frames in use carry the two salts of the WAL and are written from the front.
 * An invalid frame at their end is normal. An invalid frame before a commit is damage.
 *
 * The last commit remains ambiguous. A crash may have torn its write, or it was acknowledged and changed since. The report
 * names both.
 *
 * The WAL file has no locks of its own, so reading it as a file is safe also in the process that has it open.
 */
import { closeSync, fstatSync, readFileSync } from "node:fs";
import { openRegularFile } from "../../../base/regular-file.ts";

export interface FileFault {
  readonly file: string;
  readonly what: string;
  /** The first affected position, if it is known. */
  readonly position?: number;
  /** True if a crash may be the cause. Nothing acknowledged is lost then, and the owner's next start repairs the file. */
  readonly mayBeCrash?: true;
}

/** Maximum size of a WAL that is read. SQLite keeps it at some megabytes, unless a reader stays open for hours. */
const walBytesMax = 1024 ** 3;
const headerSize = 32;
const frameHeaderSize = 24;

interface WalFile {
  readonly bytes: DataView;
  readonly pageSize: number;
  readonly littleEndian: boolean;
  readonly salts: readonly [number, number];
}

/** The two sums of SQLite's checksum, as its documentation names them. */
interface WalChecksum {
  readonly s0: number;
  readonly s1: number;
}

export function verifyWal(path: string): readonly FileFault[] {
  const first = findFault(path);
  // The owner may be writing. A fault that a second read does not find again was a write in progress.
  const second = first === undefined ? undefined : findFault(path);
  return first !== undefined && second?.what === first.what ? [second] : [];
}

function findFault(path: string): FileFault | undefined {
  const file = "journal.db-wal";
  const bytes = readWal(path);
  if (bytes === "too large") return { file, what: `it is larger than ${walBytesMax} bytes and cannot be verified` };
  if (bytes === undefined || bytes.byteLength < headerSize) return undefined;
  const log = readHeader(bytes);
  if (log === undefined) return { file, what: "its header is damaged, so SQLite ignores the whole file" };
  const frameSize = frameHeaderSize + log.pageSize;
  const count = Math.floor((bytes.byteLength - headerSize) / frameSize);
  let sum = checksum(log, 0, 24, { s0: 0, s1: 0 });
  for (let frame = 0; frame < count; frame += 1) {
    const at = headerSize + frame * frameSize;
    sum = checksum(log, at + frameHeaderSize, log.pageSize, checksum(log, at, 8, sum));
    if (saltMatches(log, at) === 2 && sum.s0 === bytes.getUint32(at + 16) && sum.s1 === bytes.getUint32(at + 20)) {
      continue;
    }
    return faultFrom(log, frame, count, frameSize);
  }
  return undefined;
}

/** The fault that an invalid frame reveals. There is none if it and all later frames remain from an older WAL. */
function faultFrom(log: WalFile, bad: number, count: number, frameSize: number): FileFault | undefined {
  const file = "journal.db-wal";
  let commits = 0;
  let currentFrames = 0;
  for (let frame = bad; frame < count; frame += 1) {
    const at = headerSize + frame * frameSize;
    const matches = saltMatches(log, at);
    // Both salts of an older frame differ. A frame with one matching salt had both before it was damaged.
    if (matches === 0) continue;
    currentFrames += 1;
    if (log.bytes.getUint32(at + 4) !== 0) commits += 1;
  }
  if (currentFrames === 0) return undefined;
  const which = `frame ${bad + 1} of ${count}`;
  if (commits > 1) return { file, what: `${which} is damaged: at least ${commits - 1} commits after it are ignored` };
  return {
    file,
    what: `${which} is invalid: a crash interrupted the last commit, or the commit is damaged`,
    mayBeCrash: true,
  };
}

function readWal(path: string): DataView | "too large" | undefined {
  let file: number | undefined;
  try {
    file = openRegularFile(path);
    if (fstatSync(file).size > walBytesMax) return "too large";
    const content = readFileSync(file);
    return new DataView(content.buffer, content.byteOffset, content.byteLength);
  } catch {
    // Without a WAL everything is in the database.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function readHeader(bytes: DataView): WalFile | undefined {
  const magic = bytes.getUint32(0);
  const pageSize = bytes.getUint32(8);
  if (magic >>> 1 !== 0x377f0682 >>> 1 || pageSize < 512 || pageSize > 65_536) return undefined;
  const salts = [bytes.getUint32(16), bytes.getUint32(20)] as const;
  const log: WalFile = { bytes, pageSize, littleEndian: (magic & 1) === 0, salts };
  const { s0, s1 } = checksum(log, 0, 24, { s0: 0, s1: 0 });
  return s0 === bytes.getUint32(24) && s1 === bytes.getUint32(28) ? log : undefined;
}

/** Counts the salts of a frame that match those of the WAL, from 0 to 2. */
function saltMatches({ bytes, salts }: WalFile, at: number): number {
  return Number(bytes.getUint32(at + 8) === salts[0]) + Number(bytes.getUint32(at + 12) === salts[1]);
}

function checksum({ bytes, littleEndian }: WalFile, offset: number, length: number, start: WalChecksum): WalChecksum {
  let { s0, s1 } = start;
  for (let at = offset; at < offset + length; at += 8) {
    s0 = (s0 + bytes.getUint32(at, littleEndian) + s1) >>> 0;
    s1 = (s1 + bytes.getUint32(at + 4, littleEndian) + s0) >>> 0;
  }
  return { s0, s1 };
}
