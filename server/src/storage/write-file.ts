import type { Disk, WritableFile } from "./disk.ts";

/** Writes all bytes at a position. A write may be short, and one that writes nothing would never end. */
export async function writeAll(file: WritableFile, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.byteLength;) {
    const written = await file.write(bytes.subarray(at), position + at);
    if (written <= 0) throw Object.assign(new Error("the disk wrote nothing"), { code: "EIO" });
    at += written;
  }
}

/**
 * Writes bytes into a new file, or at the end of one that has `size` bytes, and makes them durable. A failed sync is never
 * repeated: the system may have dropped the bytes, and the next sync would succeed without them.
 */
export async function writeFile(disk: Disk, path: string, bytes: Uint8Array, size?: number): Promise<void> {
  const file = size === undefined ? await disk.createFile(path) : await disk.reopenFile(path);
  try {
    await writeAll(file, bytes, size ?? 0);
    await file.sync();
  } catch (error) {
    // The first error is the one that counts.
    await file.close().catch(() => undefined);
    throw error;
  }
  // A close may report bytes that could not be written.
  await file.close();
}
