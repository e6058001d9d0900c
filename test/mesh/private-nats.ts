/** A real nats-server for a test. Without one, the test fails with the reason; it is never skipped. */
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
  /** Kills the process, and resolves when it has ended. */
  kill(): Promise<void>;
  /** Starts the nats-server again with the same store. */
  start(): Promise<void>;
}

/** Starts a nats-server for one test, with its own store. */
export async function startNats(more: readonly string[] = []): Promise<PrivateNats> {
  ensureProgram("nats-server", "nats-server");
  const folder = mkdtempSync(join(tmpdir(), "holdfast-nats-"));
  const port = await freePort();
  const options = ["-js", "-sd", folder, "-a", "127.0.0.1", "-p", String(port), ...more];
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

async function started(options: readonly string[]): Promise<ChildProcess> {
  const child = spawnChild("nats-server", options, { stdio: ["ignore", "ignore", "pipe"] });
  const output: string[] = [];
  let isReady = false;
  for await (const line of createInterface({ input: child.stderr })) {
    output.push(line);
    isReady = line.includes("Server is ready");
    if (isReady) break;
  }
  if (!isReady) throw new Error(`nats-server did not start: ${output.join("\n")}`);
  // The remaining output must be read, or the nats-server blocks.
  child.stderr.resume();
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
