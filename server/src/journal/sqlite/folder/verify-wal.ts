/**
 * Proves SQLite's write-ahead log by its own checksums (https://www.sqlite.org/fileformat2.html#walformat).
 *
 * SQLite takes the log up to the first frame that does not fit and forgets the rest: right after a crash, when that
 * rest was never acknowledged, and silently wrong when a bit of an older frame has changed. The two can be told apart
 * in part: frames of the log in use carry its two salts and are written from the front, so a frame that does not fit
 * is fine at the end of them, and damage if a commit follows. What is left open is the last commit alone: it may be a
 * write that a crash tore, or one that was acknowledged and changed since. It is reported as such.
 *
 * The log has no locks of its own, so reading it as a file is safe also in the process that has it open.
 */
import { readFileSync } from "node:fs";

export interface FileFault {
  readonly file: string;
  readonly what: string;
  /** The first position that is touched, where that is known. */
  readonly position?: number;
  /** True if a crash may have left it so, with nothing acknowledged lost; the owner's next start settles it. */
  readonly mayBeCrash?: true;
}

const headerSize = 32;
const frameHeaderSize = 24;

interface WalFile {
  readonly bytes: DataView;
  readonly pageSize: number;
  readonly littleEndian: boolean;
  readonly salts: readonly [number, number];
}

interface WalChecksum {
  readonly one: number;
  readonly two: number;
}

export function verifyWal(path: string): readonly FileFault[] {
  const first = findFault(path);
  // Its owner may be writing just now. A fault that a second look does not find in the same place was a write under way.
  const second = first === undefined ? undefined : findFault(path);
  return first !== undefined && second?.what === first.what ? [second] : [];
}

function findFault(path: string): FileFault | undefined {
  const file = "journal.db-wal";
  const bytes = readWal(path);
  if (bytes === undefined || bytes.byteLength < headerSize) return undefined;
  const log = readHeader(bytes);
  if (log === undefined) return { file, what: "its header is damaged, so all of it is ignored" };
  const frameSize = frameHeaderSize + log.pageSize;
  const count = Math.floor((bytes.byteLength - headerSize) / frameSize);
  let sum = checksum(log, 0, 24, { one: 0, two: 0 });
  for (let frame = 0; frame < count; frame += 1) {
    const at = headerSize + frame * frameSize;
    sum = checksum(log, at + frameHeaderSize, log.pageSize, checksum(log, at, 8, sum));
    if (saltMatches(log, at) === 2 && sum.one === bytes.getUint32(at + 16) && sum.two === bytes.getUint32(at + 20)) {
      continue;
    }
    return faultFrom(log, frame, count, frameSize);
  }
  return undefined;
}

/** What it means that a frame does not fit: nothing, if it and all that follow are left from before. */
function faultFrom(log: WalFile, bad: number, count: number, frameSize: number): FileFault | undefined {
  const file = "journal.db-wal";
  let commits = 0;
  let ours = 0;
  for (let frame = bad; frame < count; frame += 1) {
    const at = headerSize + frame * frameSize;
    const matches = saltMatches(log, at);
    // Older frames have other salts, both of them. One that has half of ours had both.
    if (matches === 0) continue;
    ours += 1;
    if (log.bytes.getUint32(at + 4) !== 0) commits += 1;
  }
  if (ours === 0) return undefined;
  const which = `frame ${bad + 1} of ${count}`;
  if (commits > 1) return { file, what: `${which} is damaged: at least ${commits - 1} commits after it are ignored` };
  return {
    file,
    what: `${which} does not fit: the last commit was cut short by a crash, or is damaged`,
    mayBeCrash: true,
  };
}

function readWal(path: string): DataView | undefined {
  try {
    const content = readFileSync(path);
    return new DataView(content.buffer, content.byteOffset, content.byteLength);
  } catch {
    // Without a log everything is in the database.
    return undefined;
  }
}

function readHeader(bytes: DataView): WalFile | undefined {
  const magic = bytes.getUint32(0);
  const pageSize = bytes.getUint32(8);
  if (magic >>> 1 !== 0x377f0682 >>> 1 || pageSize < 512 || pageSize > 65_536) return undefined;
  const salts = [bytes.getUint32(16), bytes.getUint32(20)] as const;
  const log: WalFile = { bytes, pageSize, littleEndian: (magic & 1) === 0, salts };
  const { one, two } = checksum(log, 0, 24, { one: 0, two: 0 });
  return one === bytes.getUint32(24) && two === bytes.getUint32(28) ? log : undefined;
}

/** How many of a frame's two salts are the log's. */
function saltMatches({ bytes, salts }: WalFile, at: number): number {
  return Number(bytes.getUint32(at + 8) === salts[0]) + Number(bytes.getUint32(at + 12) === salts[1]);
}

function checksum({ bytes, littleEndian }: WalFile, offset: number, length: number, start: WalChecksum): WalChecksum {
  let { one, two } = start;
  for (let at = offset; at < offset + length; at += 8) {
    one = (one + bytes.getUint32(at, littleEndian) + two) >>> 0;
    two = (two + bytes.getUint32(at + 4, littleEndian) + one) >>> 0;
  }
  return { one, two };
}
