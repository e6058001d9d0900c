/** Reads files of a version in chunks. */
import type { Hash } from "node:crypto";
import type { Disk, ReadableFile } from "./disk.ts";

const chunkBytes = 256 * 1024;

/** A whole file that fits into memory, such as a manifest. */
export async function readVersionFile(disk: Disk, path: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of versionFileChunks(disk, path, { start: 0, end: Infinity })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A range of a file. It ends early at the end of the file. */
export async function* versionFileChunks(
  disk: Disk,
  path: string,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await disk.openFile(path);
  try {
    for (let at = start; at < end;) {
      const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, end - at));
      const read = await file.read(buffer, at);
      if (read === 0) return;
      at += read;
      yield buffer.subarray(0, read);
    }
  } finally {
    await file.close();
  }
}

/** Adds the bytes of an open file to a hash, up to a limit. Returns their number. */
export async function hashedFile(file: ReadableFile, hash: Hash, limit: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, limit));
  let at = 0;
  while (at < limit) {
    const read = await file.read(buffer.subarray(0, limit - at), at);
    if (read === 0) break;
    hash.update(buffer.subarray(0, read));
    at += read;
  }
  return at;
}
