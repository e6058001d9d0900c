/** The command `holdfast`, as a new user or a script runs it. */
import { join } from "node:path";
import { type Ended, inEmptyFolder, type Program, type ProgramOptions, startProgram } from "./program.ts";

/** The file that Node runs. */
export const commandFile = join(import.meta.dirname, "..", "..", "server", "bin", "holdfast.js");

/** Starts it in its own folder. Arguments are split at spaces, or passed as a list. */
export function holdfast(folder: string, args: string | readonly string[], options: ProgramOptions = {}): Program {
  const list = typeof args === "string" ? args.split(" ").filter((word) => word !== "") : args;
  return startProgram(commandFile, list, {
    ...options,
    folder,
    env: { HOLDFAST_PORT: "0", ...options.env },
  });
}

/** Runs it until it ends. */
export function run(folder: string, args: string | readonly string[], options: ProgramOptions = {}): Promise<Ended> {
  return holdfast(folder, args, options).ended;
}

/** Every line of its output, which must be JSON. */
export function jsonLines({ lines }: Ended): readonly Record<string, unknown>[] {
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A server for a test, in its own folder. */
export interface Served {
  readonly folder: string;
  readonly url: string;
  readonly program: Program;
}

export function withServer(work: (served: Served) => Promise<void>): () => Promise<void> {
  return inEmptyFolder(async (folder) => {
    const program = holdfast(folder, "up --json");
    try {
      const { url } = JSON.parse(await program.line(/"event":"up"/)) as { readonly url: string };
      await work({ folder, url, program });
    } finally {
      program.signal("SIGTERM");
      await program.ended;
    }
  });
}
