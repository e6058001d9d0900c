/** One `holdfast up` that can be killed, paused and started again under the same address. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { spawnChild } from "../scenario/spawn-child.ts";

const command = join(import.meta.dirname, "..", "..", "server", "bin", "holdfast.js");

export interface ServerPlan {
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments before the command, for example to enter a network of its own. */
  readonly prefix?: readonly string[];
}

export class ServerProcess {
  readonly #plan: ServerPlan;
  #child: ChildProcess | undefined;
  readonly #said: string[] = [];

  constructor(plan: ServerPlan) {
    this.#plan = plan;
  }

  log(): string {
    return this.#said.slice(-40).join("\n");
  }

  /** Resolves when the server reports that it is up. */
  async start(): Promise<void> {
    const { prefix = [], words: args, env } = this.#plan;
    const [file = "", ...rest] = [...prefix, process.execPath, command, "up", "--json", ...args];
    const child = spawnChild(file, rest, {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    const up = new Promise<void>((resolve) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        this.#said.push(line);
        if (line.includes('"event":"up"')) resolve();
      });
    });
    createInterface({ input: child.stderr }).on("line", (line) => void this.#said.push(line));
    const ended = once(child, "close").then(() => {
      throw new Error(`a server did not start:\n${this.log()}`);
    });
    await Promise.race([up, ended]);
    ended.catch(() => undefined);
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  pause(): void {
    this.#child?.kill("SIGSTOP");
  }

  goOn(): void {
    this.#child?.kill("SIGCONT");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, "close");
    child.kill("SIGCONT");
    child.kill(signal);
    await closed;
  }
}
