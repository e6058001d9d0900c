import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** No system gives a process this number. */
const noProcess = 2 ** 30;

/**
 * Leaves the note of a server that crashed. In the folders below, a search for a server ends there. It does not find a
 * server that the user runs on a `.holdfast` further up.
 */
export function noteGoneServer(folder: string): void {
  const data = join(folder, ".holdfast");
  mkdirSync(data);
  writeFileSync(join(data, "server.json"), JSON.stringify({ url: "http://127.0.0.1:1", pid: noProcess }));
}
