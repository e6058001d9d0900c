/**
 * Where a data folder says how to reach the server that runs on it, so that commands on this host find it. It is a note,
 * never a proof: whoever reads it still has to connect, and after a crash it names a process that is gone.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface ServerNote {
  readonly url: string;
  /** Whether the process that wrote it is still there. */
  readonly isRunning: boolean;
}

/** What the folder says; undefined if it says nothing, as after a clean stop. */
export function readServerNote(folder: string): ServerNote | undefined {
  try {
    const note = JSON.parse(readFileSync(join(folder, "server.json"), "utf8")) as Readonly<Record<string, unknown>>;
    const { url, pid } = note;
    if (typeof url !== "string" || typeof pid !== "number") return undefined;
    return { url, isRunning: isRunning(pid) };
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
