import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { suite, test } from "node:test";
import type { TestContext } from "node:test";
import { connect } from "holdfast";
import { serverFor } from "../socket/with-server.ts";
import { held } from "./client-node.ts";
import { spawnChild } from "../scenario/spawn-child.ts";

const program = new URL("lock-child.ts", import.meta.url).pathname;

interface Child {
  readonly process: ChildProcess;
  /** The next line of its output. */
  readonly line: () => Promise<string>;
}

function start(t: TestContext, ...words: readonly string[]): Child {
  const child = spawnChild(process.execPath, [program, ...words], { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    line: async () => {
      const next = await lines.next();
      if (next.done === true) throw new Error("the child exited without output");
      return next.value;
    },
  };
}

suite("processes", () => {
  test("a program keeps its lock while its event loop is blocked, and loses it when it is killed or blocked too long [M9 X5]", async (t) => {
    const server = await serverFor(t);
    const doomed = start(t, server.url, "doomed");
    await doomed.line();
    await using client = await connect(server.url, { name: "next" });
    const waiting = client.acquire("doc/1", { ttlMs: 60_000 });
    doomed.process.kill("SIGKILL");
    const lock = held(await waiting);
    assert.equal((await lock.leftBefore())[0]?.how, "expired");
    await lock.release();

    // The start-up grace of the server is over. A holder that does not renew in time loses its lock.
    const busy = start(t, server.url, "busy", "7000");
    const [, fence] = (await busy.line()).split(" ");
    const next = client.acquire("doc/1", { ttlMs: 60_000 });
    assert.equal(await busy.line(), `held ${fence ?? ""}`);
    const got = held(await next);
    assert.equal((await got.leftBefore())[0]?.how, "released", "the lock was released, not expired");
    await got.release();

    // A program that is blocked for longer than its maxBlockedMs loses its lock, although its thread could renew
    // forever.
    const stuck = start(t, server.url, "stuck", "600000", "500");
    await stuck.line();
    const last = held(await client.acquire("doc/1", { ttlMs: 60_000 }));
    assert.equal((await last.leftBefore())[0]?.how, "expired");
    stuck.process.kill("SIGKILL");
  });
});
