/**
 * A Bloom filter over the keys in index.db. Nearly every command has a key that was never used, and the filter proves
 * that without a query. A key in index.db is always in the filter. About one of 400 other keys is in it too, and costs
 * a query.
 *
 * One thread adds keys and others read. A reader may miss a key that is being added. So the tail in memory answers for
 * new keys until the reader has received the buffers again.
 */
import { hash } from "node:crypto";

const bitsPerKey = 16;
const probeCount = 4;
/** Number of keys in the first block. Each block holds twice as many as the one before, so few blocks hold all keys. */
const firstBlockKeys = 65_536;
/**
 * Maximum number of keys in the last block. All blocks then take 64 MiB, for 33 million keys. More keys fill the last
 * block further, so that more lookups need a query.
 */
const blockKeysMax = firstBlockKeys * 2 ** 8;

export interface KeyFilter {
  /** Adds a key by the first 16 bytes of its SHA-256, as index.db holds it. */
  add(keyHash: Uint8Array): void;
  /** False if index.db does not hold the key. */
  mayHold(scope: string): boolean;
  /** The memory of the filter. A filter in another thread reads the same buffers. */
  buffers(): readonly SharedArrayBuffer[];
}

export function createKeyFilter(buffers: readonly SharedArrayBuffer[] = []): KeyFilter {
  const blocks = buffers.map((buffer) => new Uint32Array(buffer));
  let lastKeys = 0;

  function blockWithRoom(): Uint32Array {
    const last = blocks.at(-1);
    const capacity = firstBlockKeys * 2 ** (blocks.length - 1);
    if (last !== undefined && (lastKeys < capacity || capacity >= blockKeysMax)) return last;
    const block = new Uint32Array(new SharedArrayBuffer((firstBlockKeys * 2 ** blocks.length * bitsPerKey) / 8));
    blocks.push(block);
    lastKeys = 0;
    return block;
  }

  return {
    add(keyHash) {
      const block = blockWithRoom();
      for (let probe = 0; probe < probeCount; probe += 1) {
        const at = 4 * probe;
        const bit = wordOf(keyHash[at], keyHash[at + 1], keyHash[at + 2], keyHash[at + 3]) % (block.length * 32);
        block[bit >>> 5] = (block[bit >>> 5] ?? 0) | (1 << (bit & 31));
      }
      lastKeys += 1;
    },
    mayHold(scope) {
      // A text of bytes costs half as much as a buffer.
      const digest = hash("sha256", scope, "binary");
      return blocks.some((block) => hasAllBits(block, digest));
    },
    buffers: () => blocks.map(({ buffer }) => buffer),
  };
}

function hasAllBits(block: Uint32Array, digest: string): boolean {
  for (let probe = 0; probe < probeCount; probe += 1) {
    const at = 4 * probe;
    const word = wordOf(
      digest.charCodeAt(at),
      digest.charCodeAt(at + 1),
      digest.charCodeAt(at + 2),
      digest.charCodeAt(at + 3),
    );
    const bit = word % (block.length * 32);
    if (((block[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false;
  }
  return true;
}

function wordOf(a = 0, b = 0, c = 0, d = 0): number {
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
}
