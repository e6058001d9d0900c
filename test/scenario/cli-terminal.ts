/** The command line without a process for each command: its words go in, and what it says comes out. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Terminal } from "../../server/src/doors/cli/command.ts";
import { paintFor } from "../../server/src/doors/cli/terminal/paint.ts";
import { runCommandLine } from "../../server/src/doors/cli/run-command-line.ts";
import { serve } from "../../server/src/assembly/serve.ts";
import type { ServeOptions } from "../../server/src/assembly/serve.ts";

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface SayOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly input?: string;
  readonly isTerminal?: boolean;
}

/** Runs a command line. Words are split at spaces, or given one by one. */
export async function say(words: string | readonly string[], options: SayOptions = {}): Promise<Said> {
  const { env = {}, folder = "/nowhere", input = "", isTerminal = false } = options;
  let out = "";
  let err = "";
  const terminal: Terminal = {
    env,
    folder,
    print: (line) => void (out += `${line}\n`),
    warn: (line) => void (err += `${line}\n`),
    width: 120,
    paint: paintFor(env, isTerminal),
    readInput: () => Promise.resolve(input),
  };
  const list = typeof words === "string" ? words.split(" ").filter((word) => word !== "") : words;
  return { code: await runCommandLine(list, terminal), out, err };
}

export interface Serving {
  readonly folder: string;
  readonly url: string;
  /** Runs a command line in the folder of the server, and returns what it says. */
  readonly ask: (words: string | readonly string[], options?: SayOptions) => Promise<Said>;
  /** The same for a command that must succeed: its answer as JSON. */
  readonly answer: (words: string | readonly string[], options?: SayOptions) => Promise<Record<string, unknown>>;
}

/** Runs a test beside a server of its own, in this process. */
export function beside(
  work: (serving: Serving) => Promise<void>,
  options: Partial<ServeOptions> = {},
): () => Promise<void> {
  return async () => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-cli-"));
    const data = join(folder, ".holdfast");
    const served = await serve({ data, host: "127.0.0.1", port: 0, report: () => undefined, ...options });
    const ask: Serving["ask"] = (words, more = {}) => say(words, { folder, ...more });
    try {
      await work({
        folder,
        url: served.url,
        ask,
        async answer(words, more) {
          const list = typeof words === "string" ? words.split(" ") : words;
          const { code, out, err } = await ask([...list, "--json"], more);
          if (code !== 0) throw new Error(`${list.join(" ")} ended with ${code}: ${out}${err}`);
          return JSON.parse(out) as Record<string, unknown>;
        },
      });
    } finally {
      await served.close();
      await rm(folder, { recursive: true, force: true });
    }
  };
}
