import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import type { Environment, ServerNote, Surroundings } from "./environment.ts";

/** The environment of this process, or the one given. */
export function environmentOf({ folder, env }: Partial<Surroundings> = {}): Environment {
  const start = folder ?? process.cwd();
  const variables = env ?? process.env;
  return {
    variable: (name) => (variables[name] === "" ? undefined : variables[name]),
    noteIn: (data) => readNote(resolve(start, data)),
    nearestNote: () => nearestNoteFrom(start),
  };
}

function nearestNoteFrom(folder: string): ServerNote | undefined {
  const note = readNote(join(folder, ".holdfast"));
  const parent = dirname(folder);
  return note ?? (parent === folder ? undefined : nearestNoteFrom(parent));
}

/** A file that is absent, as after a clean stop, or that is damaged names no server. */
function readNote(folder: string): ServerNote | undefined {
  try {
    const text = readFileSync(join(folder, "server.json"), "utf8");
    const { url, pid } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof url !== "string" || !/^https?:\/\//u.test(url) || !URL.canParse(url)) return undefined;
    if (typeof pid !== "number") return undefined;
    return { url, folder, isRunning: isRunning(pid) };
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process runs and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
