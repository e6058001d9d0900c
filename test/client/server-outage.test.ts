/** A program that waits for a server keeps running while the server is unavailable. It does not exit early. */
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { connect } from "holdfast";
import { serve } from "../../server/src/assembly/serve.ts";
import { folderFor, serverFor } from "../socket/with-server.ts";
import { spawnChild } from "../scenario/spawn-child.ts";

const program = new URL("server-outage-child.ts", import.meta.url).pathname;

interface Child {
  readonly process: ChildProcess;
  /** Waits for a line. Fails if the child exits first. */
  readonly says: (line: string) => Promise<void>;
}

function start(t: TestContext, ...words: readonly string[]): Child {
  const child = spawnChild(process.execPath, [program, ...words], { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const reports = async (wanted: string): Promise<void> => {
    for (;;) {
      const next = await lines.next();
      assert.ok(next.done !== true, `the child exited before it printed ${wanted}`);
      if (next.value === wanted) return;
    }
  };
  return { process: child, says: reports };
}

/**
 * Listens on the port of the stopped server and closes each connection, until the count is reached or the child exits.
 */
async function outageOn(port: number, child: ChildProcess, connectionCount: number): Promise<void> {
  const enough = Promise.withResolvers<undefined>();
  let count = 0;
  const refusing = createServer((socket) => {
    socket.destroy();
    count += 1;
    if (count >= connectionCount) enough.resolve(undefined);
  }).listen(port, "127.0.0.1");
  await Promise.race([enough.promise, once(child, "exit")]);
  refusing.close();
  await once(refusing, "close");
}

for (const [how, title] of [
  ["call", "a program whose call waits for an unavailable server runs until the call is answered"],
  [
    "line",
    "a program that waits for a lock runs until the lock is granted, also if the server is unavailable meanwhile",
  ],
] as const) {
  test(title, async (t) => {
    const data = join(await folderFor(t), ".holdfast");
    const before = await serverFor(t, data);
    const port = Number(new URL(before.url).port);
    const keeper = await connect(before.url);
    await keeper.operations.acquireLock({ paths: ["doc/1"], ownerId: "keeper", ttlMs: 600_000 });
    await keeper.close();
    const child = start(t, before.url, how);
    await child.says("ready");
    await before.close();
    if (how === "call") {
      child.process.stdin?.end("go\n");
      await child.says("asked");
    }
    await outageOn(port, child.process, 10);
    const after = await serve({ data, host: "127.0.0.1", port });
    t.after(() => after.close());
    await using next = await connect(after.url);
    await next.locks.release({ paths: ["doc/1"] }, { ownerId: "keeper" });
    await child.says("answered");
  });
}
