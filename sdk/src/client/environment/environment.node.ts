import { resolve } from "node:path";
import type { Environment, Surroundings } from "./environment.ts";
import { nearestFolder } from "../discovery/nearest-folder.node.ts";
import { serverNote } from "../discovery/server-note.node.ts";

/** The environment of this process, or the one given. */
export function environmentOf({ folder, env }: Partial<Surroundings> = {}): Environment {
  const start = folder ?? process.cwd();
  const variables = env ?? process.env;
  return {
    variable: (name) => (variables[name] === "" ? undefined : variables[name]),
    noteIn: (data) => serverNote.named(resolve(start, data)),
    nearestFolder: () => nearestFolder(start),
    warn: warnOnce,
  };
}

let hasWarned = false;

/** A program that connects often gets the warning once. */
function warnOnce(message: string): void {
  if (hasWarned) return;
  hasWarned = true;
  process.emitWarning(message, { type: "HoldfastWarning" });
}
