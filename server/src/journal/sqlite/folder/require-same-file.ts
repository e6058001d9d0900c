import { statSync } from "node:fs";
import { JournalError } from "../../journal.ts";

/**
 * Returns a check that the path still leads to the file that is open. SQLite writes to a deleted file without an error, so its
 * writes would be acknowledged and lost. The check takes 3 µs.
 */
export function requireSameFile(file: string): () => void {
  const opened = statSync(file, { throwIfNoEntry: false });
  return () => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.ino === opened?.ino && found?.dev === opened?.dev) return;
    const fault = found === undefined ? "was deleted or moved" : "was replaced by another file";
    const message = `${file} ${fault} while it was open. Move it back, or restore a backup and restart the server.`;
    throw new JournalError("io", message, { certain: true });
  };
}
