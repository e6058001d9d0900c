/** A real nats-server for a test. If there can be none, the test fails and says what is missing; it is never skipped. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ensureProgram } from "../scenario/debian-package.ts";
import { freePort } from "../scenario/free-port.ts";
import { spawnChild } from "../scenario/spawn-child.ts";

export interface PrivateNats extends AsyncDisposable {
  readonly url: string;
  /** Ends it as a power cut of the process would, and comes back when it is gone. */
  kill(): Promise<void>;
  /** Starts it again with the store that it had. */
  start(): Promise<void>;
}

/** Starts one that nobody else uses, with a store of its own. */
export async function startNats(words: readonly string[] = []): Promise<PrivateNats> {
  ensureProgram("nats-server", "nats-server");
  const folder = mkdtempSync(join(tmpdir(), "holdfast-nats-"));
  const port = await freePort();
  const options = ["-js", "-sd", folder, "-a", "127.0.0.1", "-p", String(port), ...words];
  let child = await started(options);
  return {
    url: `nats://127.0.0.1:${String(port)}`,
    async kill() {
      await ended(child);
    },
    async start() {
      child = await started(options);
    },
    async [Symbol.asyncDispose]() {
      await ended(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function started(words: readonly string[]): Promise<ChildProcess> {
  const child = spawnChild("nats-server", words, { stdio: ["ignore", "ignore", "pipe"] });
  const said: string[] = [];
  let isReady = false;
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    isReady = line.includes("Server is ready");
    if (isReady) break;
  }
  if (!isReady) throw new Error(`nats-server did not start: ${said.join("\n")}`);
  // What it says from now on must go somewhere, or it stands still.
  child.stderr.resume();
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
