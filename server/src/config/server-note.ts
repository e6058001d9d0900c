/**
 * Where a data folder says how to reach the server that runs on it, so that commands on this host find it. It is a note,
 * never a proof: whoever reads it still has to connect.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The address of the server on a folder; undefined if nobody says so, or the process that said so is gone. */
export function readServerNote(folder: string): string | undefined {
  try {
    const note = JSON.parse(readFileSync(join(folder, "server.json"), "utf8")) as Readonly<Record<string, unknown>>;
    const { url, pid } = note;
    return typeof url === "string" && typeof pid === "number" && isRunning(pid) ? url : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
