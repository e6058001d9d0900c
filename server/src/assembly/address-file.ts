import { defined } from "@holdfast/sdk/base/defined";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes the server's address into its data folder, so that clients below that folder's parent find it. Returns the
 * function to remove it. After a crash the old address stays until the next start. A client that follows it sends no
 * token, because another program may listen there.
 */
export function writeAddressFile(folder: string, url: string, operatorSocket?: string): () => void {
  const file = join(folder, "server.json");
  const elsewhere = defined({ operator_socket: operatorSocket });
  const text = `${JSON.stringify({ url, pid: process.pid, ...elsewhere })}\n`;
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
  return () => {
    if (hasContent(file, text)) rmSync(file, { force: true });
  };
}

/** Whether the file is unchanged. Another server may own the folder when this one stops. */
function hasContent(file: string, text: string): boolean {
  try {
    return readFileSync(file, "utf8") === text;
  } catch {
    return false;
  }
}
