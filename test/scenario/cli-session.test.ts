/** Runs the terminal sessions of the documents in real shells. The output must match the documents. */
import assert from "node:assert/strict";
import { chmod, glob, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { inEmptyFolder } from "./program.ts";
import { spawnChild } from "./spawn-child.ts";

const root = join(import.meta.dirname, "..", "..");
const bin = join(root, "server", "bin", "holdfast.js");

/** A command for a terminal, and the lines that the terminal must show next. */
interface SessionStep {
  readonly terminal: string;
  readonly typed: string;
  readonly shown: string[];
}

/** `2$ command` runs a command in terminal 2. `2$` alone compares the output of terminal 2 since its last step. */
function stepsOf(session: string): readonly SessionStep[] {
  const steps: SessionStep[] = [];
  for (const line of session.split("\n")) {
    const [, terminal, typed = ""] = /^(\d)\$ ?(.*)$/u.exec(line) ?? [];
    if (terminal !== undefined) steps.push({ terminal, typed, shown: [] });
    else if (line !== "") steps.at(-1)?.shown.push(line);
  }
  return steps;
}

/** Numbers, times and folders differ in each run. `…` matches any text, and any lines if it is alone. */
function patternOf(lines: readonly string[]): RegExp {
  const parts = lines.map((line) => {
    if (line.trim() === "…") return "[^]*";
    return line
      .trimEnd()
      .replace(/[.*+?^${}()|[\]\\]/gu, "\\$&")
      .replace(/\/var\/lib\/ann/gu, "/\\S+")
      .replace(/(now|\d+ s ago)/gu, "(now|\\S+ s ago)")
      .replace(/(in )?\d+ s(?=,|\\\)| |$)/gu, "(now|under 1 s|(in )?\\S+ s( ago)?)")
      .replace(/\d+/gu, "\\d+")
      .replace(/ {2,}/gu, " +")
      .replaceAll("…", ".*");
  });
  return new RegExp(`^${parts.join("\\n+")}$`, "mu");
}

class SessionShell {
  readonly #shell;
  #output = "";
  #wake: () => void = () => undefined;

  constructor(folder: string, path: string) {
    const env = { PATH: path, HOLDFAST_PORT: "0", NO_COLOR: "1" };
    this.#shell = spawnChild("bash", ["-c", "exec 2>&1; exec bash -s"], { cwd: folder, env, detached: true });
    this.#shell.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
      this.#wake();
    });
  }

  async do({ terminal, typed, shown }: SessionStep): Promise<void> {
    this.#shell.stdin.write(`${typed}\n`);
    if (shown.length === 0) return;
    const pattern = patternOf(shown);
    const ended = new Promise<boolean>((resolve) => this.#shell.once("close", () => resolve(true)));
    const timedOut = untilTimeout();
    for (;;) {
      const found = pattern.exec(this.#output);
      if (found !== null) {
        this.#output = this.#output.slice(found.index + found[0].length);
        return;
      }
      const more = new Promise<boolean>((resolve) => {
        this.#wake = () => resolve(false);
      });
      const isOver = await Promise.race([more, ended, timedOut]);
      const actual = `terminal ${terminal} shows, after "${typed}":\n${this.#output}`;
      assert.ok(!isOver, `${actual}\nwhich does not match ${String(pattern)}`);
    }
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#shell.once("close", resolve));
    if (this.#shell.exitCode === null && this.#shell.pid !== undefined) process.kill(-this.#shell.pid, "SIGKILL");
    await ended;
  }
}

/** Maximum time until a step shows its lines. */
const stepTimeoutMs = 60_000;

function untilTimeout(): Promise<boolean> {
  const signal = AbortSignal.timeout(stepTimeoutMs);
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(true), { once: true }));
}

async function runSession(session: string, folder: string): Promise<void> {
  const tools = join(folder, "tools");
  const path = `${tools}:${process.env["PATH"] ?? ""}`;
  const shells = new Map<string, SessionShell>();
  try {
    for (const step of stepsOf(session)) {
      const shell = shells.get(step.terminal) ?? new SessionShell(folder, path);
      shells.set(step.terminal, shell);
      await shell.do(step);
    }
  } finally {
    for (const shell of [...shells.values()].toReversed()) await shell.close();
  }
}

for await (const path of glob(["README.md", "docs/start/*.md"], { cwd: root })) {
  const text = await readFile(join(root, path), "utf8");
  const sessions = [...text.matchAll(/```console\n(?<session>[^]*?)```/gu)].map(
    ({ groups }) => groups?.["session"] ?? "",
  );
  test(`${path} contains at least one terminal session`, () => assert.ok(sessions.length > 0));
  for (const [index, session] of sessions.entries()) {
    test(
      `the terminals of session ${String(index + 1)} in ${path} show the lines of the document`,
      inEmptyFolder(async (folder) => {
        const wrapper = join(folder, "tools", "holdfast");
        await mkdir(join(folder, "tools"));
        await writeFile(wrapper, `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`);
        await chmod(wrapper, 0o755);
        await runSession(session, folder);
      }),
    );
  }
}
