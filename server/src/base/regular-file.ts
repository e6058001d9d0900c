/**
 * Reads files at paths that may lead elsewhere. A folder from outside may hold a symbolic link to any file of this user, or a
 * pipe that blocks the process. Only a regular file is opened, and a small file is read up to its limit.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Opens a regular file for reading. The caller closes it. Never use it for a database that this process has open. */
export function openRegularFile(path: string): number {
  // O_NONBLOCK: opening a pipe without a writer would wait forever. Windows has neither flag, and ignores them.
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw Object.assign(new Error(`${path} is not a regular file`), { code: "EINVAL", syscall: "open", path });
}

/** Reads a small regular file as text. A larger file is an error. */
export function readSmallFile(path: string, bytesMax: number): string {
  const file = openRegularFile(path);
  try {
    const bytes = Buffer.alloc(Math.min(fstatSync(file).size, bytesMax) + 1);
    const size = readSync(file, bytes);
    if (size <= bytesMax) return bytes.toString("utf8", 0, size);
  } finally {
    closeSync(file);
  }
  const message = `${path} is larger than ${String(bytesMax)} bytes`;
  throw Object.assign(new Error(message), { code: "EFBIG", syscall: "read", path });
}
