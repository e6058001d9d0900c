/** The peer Redis: a real server of this run, on a free port and in its own folder. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "../../test/scenario/free-port.ts";
import { ensureProgram } from "../../test/scenario/debian-package.ts";

export interface RedisServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Without `fsync` it keeps everything in memory only, which is how most deployments run locks on it. With `everysec` a crash
 * of the host loses up to a second.
 */
export async function startRedis({ fsync }: { readonly fsync: boolean | "everysec" }): Promise<RedisServer> {
  ensureProgram("redis-server", "redis-server");
  const folder = mkdtempSync(join(tmpdir(), "holdfast-redis-"));
  const port = await freePort();
  const policy = fsync === true ? "always" : fsync;
  const durable = policy === false ? ["--appendonly", "no"] : ["--appendonly", "yes", "--appendfsync", policy];
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", ...durable];
  const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes("Ready to accept connections")) break;
  }
  child.stdout.resume();
  return {
    port,
    async close() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
