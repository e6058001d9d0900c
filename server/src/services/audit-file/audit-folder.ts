/** The names in the folder of the audit file, and the files next to it. */
import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { readSmallFile } from "../../base/regular-file.ts";
import type { AuditCursor } from "./audit-line.ts";

/** The file that grows. */
export const auditFileName = "audit.ndjson";
const cursorName = "audit.cursor";
const rotatedPattern = /^audit-\d{4,}-\d{12,}\.ndjson$/u;

/** Maximum size of the cursor. */
const cursorBytesMax = 1_024;

/** A rotated file is named by its first line. Epochs only grow, so the names are in the order of the files. */
export function rotatedName({ epoch, position }: AuditCursor): string {
  return `audit-${String(epoch).padStart(4, "0")}-${String(position).padStart(12, "0")}.ndjson`;
}

export async function makeAuditFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

/** Opens a file for appending, readable by this user alone. A link is refused. */
export function openForAppending(path: string): Promise<FileHandle> {
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;
  return open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600);
}

/** The rotated files, oldest first. */
export async function rotatedFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names
    .filter((name) => rotatedPattern.test(name))
    .toSorted()
    .map((name) => join(folder, name));
}

/** Keeps the newest rotated files. 0 keeps all of them. */
export async function deleteOldFiles(folder: string, kept: number): Promise<void> {
  if (kept === 0) return;
  for (const path of (await rotatedFiles(folder)).slice(0, -kept)) await rm(path, { force: true });
}

/** The cursor is a lower bound of the last line, for a folder whose other files were removed. */
export async function writeCursor(folder: string, { epoch, position }: AuditCursor): Promise<void> {
  const path = join(folder, cursorName);
  const next = `${path}.next`;
  await rm(next, { force: true });
  const file = await open(next, "wx", 0o600);
  try {
    await file.writeFile(JSON.stringify({ epoch, position }));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
}

/** Undefined if there is no cursor. A damaged one is an error: without it, lines could be repeated. */
export function readCursor(folder: string): AuditCursor | undefined {
  const path = join(folder, cursorName);
  let text: string;
  try {
    text = readSmallFile(path, cursorBytesMax);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const { epoch, position } = JSON.parse(text) as Partial<AuditCursor>;
  if (Number.isSafeInteger(epoch) && Number.isSafeInteger(position)) return { epoch, position } as AuditCursor;
  throw new Error(`${path} is damaged: remove it, and the audit file is written from the beginning`);
}

/** Makes renamed and new names of a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
