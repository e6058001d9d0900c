/** The peer etcd: a real server of this run, one member, on free ports and in its own folder. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "../../test/scenario/free-port.ts";
import { ensureProgram } from "../../test/scenario/debian-package.ts";

export interface EtcdServer {
  readonly url: string;
  close(): Promise<void>;
}

/** With default settings: every write waits for the disk. */
export async function startEtcd(): Promise<EtcdServer> {
  ensureProgram("etcd", "etcd-server");
  const folder = mkdtempSync(join(tmpdir(), "holdfast-etcd-"));
  const url = `http://127.0.0.1:${String(await freePort())}`;
  const peerUrl = `http://127.0.0.1:${String(await freePort())}`;
  const args = [
    ...["--name", "bench", "--data-dir", folder],
    ...["--listen-client-urls", url, "--advertise-client-urls", url],
    ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
    ...["--initial-cluster", `bench=${peerUrl}`],
  ];
  const child = spawn("etcd", args, { stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(child, "exit");
  const lines: string[] = [];
  let isReady = false;
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line);
    isReady = line.includes("ready to serve client requests");
    if (isReady) break;
  }
  if (!isReady) throw new Error(`etcd ended before it was ready: ${lines.slice(-5).join("\n")}`);
  child.stderr.resume();
  return {
    url,
    async close() {
      child.kill("SIGTERM");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
