/**
 * Where a data folder says how to reach the server that runs on it, so that commands and programs on this host find it.
 * It is a note, never a proof: whoever reads it still has to connect, and after a crash it names a process that is gone.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

export interface ServerNote {
  readonly url: string;
  readonly pid: number;
  readonly host: string;
}

const noteIn = (folder: string): string => join(folder, "server.json");

export function writeServerNote(folder: string, url: string): void {
  const note: ServerNote = { url, pid: process.pid, host: hostname() };
  writeFileSync(noteIn(folder), `${JSON.stringify(note)}\n`);
}

export function removeServerNote(folder: string): void {
  rmSync(noteIn(folder), { force: true });
}

/** The address of the server on a folder; undefined if nobody says so, or the process that said so is gone. */
export function readServerNote(folder: string): string | undefined {
  try {
    const { url, pid, host } = JSON.parse(readFileSync(noteIn(folder), "utf8")) as Partial<ServerNote>;
    if (typeof url !== "string" || typeof pid !== "number") return undefined;
    return host !== hostname() || isRunning(pid) ? url : undefined;
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
