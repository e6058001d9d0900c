/** Reads files of a version in chunks. */
import type { Disk } from "./disk.ts";

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
