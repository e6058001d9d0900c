/**
 * Refuses a data folder or a backup whose files lead elsewhere. SQLite follows symbolic links. A link named
 * `journal.db-shm` would let a mere read of a backup overwrite any file of this user.
 */
import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { JournalError } from "../../journal.ts";

/** Files that Holdfast opens. A pipe or a device in their place would block the process. */
const isOpened =
  /^(?:journal|index|checkpoint|checkpoint-copy|owner)\.db|^identity|^owner\.json|^operator-token|^archive$/u;

export function requirePlainFiles(folder: string): void {
  for (const entry of entriesOf(folder)) {
    const isPlain = entry.isFile() || entry.isDirectory();
    if (entry.isSymbolicLink() || (isOpened.test(entry.name) && !isPlain)) throw notPlain(join(folder, entry.name));
  }
  const archive = join(folder, "archive");
  for (const entry of entriesOf(archive)) if (!entry.isFile()) throw notPlain(join(archive, entry.name));
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A missing or unreadable folder is reported by the call that opens its files.
    return [];
  }
}

function notPlain(path: string): JournalError {
  const message = `${path} is a symbolic link or a special file, which Holdfast never follows. Replace it by the file itself, or remove it.`;
  return new JournalError("invalid", message, { certain: true });
}
