/** The command `holdfast`, as a newcomer or a script runs it. */
import { join } from "node:path";
import { type Ended, type Program, type ProgramOptions, startProgram } from "./program.ts";

const command = join(import.meta.dirname, "..", "..", "server", "bin", "holdfast.js");

/** Starts it in a folder of its own. Words are split at spaces, or given one by one. */
export function holdfast(folder: string, words: string | readonly string[], options: ProgramOptions = {}): Program {
  const list = typeof words === "string" ? words.split(" ").filter((word) => word !== "") : words;
  return startProgram(command, list, {
    ...options,
    folder,
    env: { HOLDFAST_DATA: "", HOLDFAST_PORT: "0", ...options.env },
  });
}

/** Runs it to its end. */
export function run(folder: string, words: string | readonly string[], options: ProgramOptions = {}): Promise<Ended> {
  return holdfast(folder, words, options).ended;
}

/** Every line of its output, which must be JSON. */
export function jsonLines({ lines }: Ended): readonly Record<string, unknown>[] {
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
