/** A real process for a scenario. Tests wait for its output and its end, never for the clock. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { noteGoneServer } from "./gone-server.ts";
import { spawnChild } from "./spawn-child.ts";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Every line of its standard output. */
  readonly lines: readonly string[];
  /** Its standard error. */
  readonly errors: string;
}

export interface Program {
  readonly pid: number;
  /** The first line of its output that matches, including earlier lines. */
  line(pattern: RegExp): Promise<string>;
  /** The first line of its standard error that matches. */
  errorLine(pattern: RegExp): Promise<string>;
  /** Calls back for every line as it arrives. */
  onLine(listener: (line: string) => void): void;
  signal(signal: NodeJS.Signals): void;
  endInput(): void;
  /** Sends it a line. */
  send(line: string): void;
  /** Sends it a line, and waits until it prints the same line. */
  command(line: string): Promise<void>;
  readonly ended: Promise<Ended>;
}

export interface ProgramOptions {
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Its input ends only when this process closes it, or dies. */
  readonly inputStaysOpen?: true;
}

/** Maximum wait for a line. A line that never comes fails its test instead of hanging the whole run. */
const lineTimeoutMs = 120_000;

/** Starts a file with Node. */
export function startProgram(file: string, args: readonly string[], options?: ProgramOptions): Program {
  return startCommand(process.execPath, [file, ...args], options);
}

export function startCommand(command: string, args: readonly string[], options: ProgramOptions = {}): Program {
  const child = spawnChild(command, args, {
    cwd: options.folder,
    env: options.env,
    stdio: "pipe",
  });
  child.stdin.on("error", () => undefined);
  if (options.inputStaysOpen !== true) child.stdin.end(options.input ?? "");
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const { lines, listeners } = linesOf(child.stdout);
  const warnings = linesOf(child.stderr);
  const ended = once(child, "close").then(() => {
    listeners.clear();
    warnings.listeners.clear();
    return { code: child.exitCode, signal: child.signalCode, lines, errors };
  });
  const heard = ({ lines: received, listeners: waiting }: Lines, pattern: RegExp): Promise<string> => {
    const found = received.find((line) => pattern.test(line));
    if (found !== undefined) return Promise.resolve(found);
    const comes = new Promise<string>((resolve) => {
      waiting.add((line) => {
        if (pattern.test(line)) resolve(line);
      });
    });
    const fail = (what: string) => assert.fail(`${what} without ${String(pattern)}: ${lines.join("\n")}${errors}`);
    const missed = ended.then(({ code }) => fail(`the process ended (${String(code)})`));
    const bound = AbortSignal.timeout(lineTimeoutMs);
    const late = once(bound, "abort").then(() => fail(`${lineTimeoutMs} ms passed`));
    return Promise.race([comes, missed, late]);
  };
  return {
    pid: child.pid ?? assert.fail(`${command} could not be started`),
    line: (pattern) => heard({ lines, listeners }, pattern),
    errorLine: (pattern) => heard(warnings, pattern),
    onLine: (listener) => void listeners.add(listener),
    signal: (signal) => void child.kill(signal),
    endInput: () => void child.stdin.end(),
    send: (line) => void child.stdin.write(`${line}\n`),
    async command(line) {
      const heard = new Promise<void>((resolve) => {
        const listener = (received: string): void => {
          if (received !== line) return;
          listeners.delete(listener);
          resolve();
        };
        listeners.add(listener);
      });
      const missed = ended.then(({ code }) =>
        assert.fail(`the process ended (${String(code)}) before ${line}: ${errors}`),
      );
      child.stdin.write(`${line}\n`);
      await Promise.race([heard, missed]);
    },
    ended,
  };
}

/** The lines of one of its streams, and the callbacks that wait for more. */
interface Lines {
  readonly lines: string[];
  readonly listeners: Set<(line: string) => void>;
}

function linesOf(input: Readable): Lines {
  const lines: string[] = [];
  const listeners = new Set<(line: string) => void>();
  createInterface({ input }).on("line", (line) => {
    lines.push(line);
    for (const listener of listeners) listener(line);
  });
  return { lines, listeners };
}

/** Runs a test in an empty folder that is removed afterwards. */
export function inEmptyFolder(work: (folder: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const outer = await mkdtemp(join(tmpdir(), "holdfast-scenario-"));
    const folder = join(outer, "work");
    try {
      noteGoneServer(outer);
      await mkdir(folder);
      await work(folder);
    } finally {
      await rm(outer, { recursive: true, force: true });
    }
  };
}
