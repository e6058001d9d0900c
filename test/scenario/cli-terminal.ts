/** Runs the command line in this process, without a process per command, and captures its output. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { Terminal } from "../../server/src/doors/cli/command.ts";
import { paintFor } from "../../server/src/doors/cli/terminal/paint.ts";
import { runCommandLine } from "../../server/src/doors/cli/run-command-line.ts";
import { serve } from "../../server/src/assembly/serve.ts";
import type { ServeOptions } from "../../server/src/assembly/serve.ts";
import type { Ended } from "./program.ts";

export interface CliOutput {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunCliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly input?: string;
  readonly isTerminal?: boolean;
}

/** Runs a command line. A string is split at spaces. */
export async function runCli(line: string | readonly string[], options: RunCliOptions = {}): Promise<CliOutput> {
  const { env = {}, folder = "/nowhere", input = "", isTerminal = false } = options;
  let out = "";
  let err = "";
  const terminal: Terminal = {
    env,
    folder,
    print: (line) => void (out += `${line}\n`),
    output: new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        out += chunk.toString();
        done();
      },
    }),
    warn: (line) => void (err += `${line}\n`),
    width: 120,
    paint: paintFor(env, isTerminal),
    readInput: () => Promise.resolve(input),
  };
  const args = typeof line === "string" ? line.split(" ").filter((part) => part !== "") : line;
  // A command that writes data changes the umask of its process. Here the process continues with other tests.
  const umask = process.umask(0o077);
  process.umask(umask);
  try {
    return { code: await runCommandLine(args, terminal), out, err };
  } finally {
    process.umask(umask);
  }
}

/** Runs a command line in a folder, and returns what a process of its own would return. */
export async function runHere(
  folder: string,
  line: string | readonly string[],
  { env = {} }: Pick<RunCliOptions, "env"> = {},
): Promise<Ended> {
  const { code, out, err } = await runCli(line, { folder, env: { HOLDFAST_PORT: "0", ...env } });
  return { code, signal: null, lines: out.split("\n").slice(0, -1), errors: err };
}

export interface CliServer {
  readonly folder: string;
  readonly url: string;
  /** Runs a command line in the folder of the server, and returns its output. */
  readonly cli: (line: string | readonly string[], options?: RunCliOptions) => Promise<CliOutput>;
  /** Runs a command that must succeed with --json, and returns the parsed output. */
  readonly cliJson: (line: string | readonly string[], options?: RunCliOptions) => Promise<Record<string, unknown>>;
}

/** Runs a test with its own server in this process. */
export function withCliServer(
  work: (server: CliServer) => Promise<void>,
  options: Partial<ServeOptions> = {},
): () => Promise<void> {
  return async () => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-cli-"));
    const data = join(folder, ".holdfast");
    const served = await serve({ data, host: "127.0.0.1", port: 0, report: () => undefined, ...options });
    const cli: CliServer["cli"] = (line, more = {}) => runCli(line, { folder, ...more });
    try {
      await work({
        folder,
        url: served.url,
        cli,
        async cliJson(line, more) {
          const args = typeof line === "string" ? line.split(" ") : line;
          const { code, out, err } = await cli([...args, "--json"], more);
          if (code !== 0) throw new Error(`${args.join(" ")} exited with ${code}: ${out}${err}`);
          return JSON.parse(out) as Record<string, unknown>;
        },
      });
    } finally {
      await served.close();
      await rm(folder, { recursive: true, force: true });
    }
  };
}
