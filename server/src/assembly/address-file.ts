import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes into the data folder where its server listens, so that clients below the folder's place find it without being
 * told. Returns the way to take it back. After a crash an old address stays until the next start writes over it: whoever
 * follows it finds nobody there, which is true.
 */
export function writeAddress(folder: string, url: string): () => void {
  const file = join(folder, "server.json");
  const text = `${JSON.stringify({ url, pid: process.pid })}\n`;
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
  return () => {
    if (isStill(file, text)) rmSync(file, { force: true });
  };
}

/** Another server may have taken the folder over meanwhile. */
function isStill(file: string, text: string): boolean {
  try {
    return readFileSync(file, "utf8") === text;
  } catch {
    return false;
  }
}
