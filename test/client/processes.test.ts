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
  /** The next line that it says. */
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
      if (next.done === true) throw new Error("the child ended without a word");
      return next.value;
    },
  };
}

suite("a program that holds a lock over the network", () => {
  test("loses it when it is killed or stuck for too long, and the next one gets it; it keeps it while its loop is blocked [M9 X5]", async (t) => {
    const server = await serverFor(t);
    const doomed = start(t, server.url, "doomed");
    await doomed.line();
    await using client = await connect(server.url, { name: "next" });
    const waiting = client.acquire("doc/1", { ttlSeconds: 60 });
    doomed.process.kill("SIGKILL");
    const lock = held(await waiting);
    assert.equal((await lock.leftBefore())[0]?.how, "expired");
    await lock.release();

    // By now the grace of the server's start is over: whoever does not renew in time loses what it has.
    const busy = start(t, server.url, "busy", "7000");
    const [, fence] = (await busy.line()).split(" ");
    const next = client.acquire("doc/1", { ttlSeconds: 60 });
    assert.equal(await busy.line(), `held ${fence ?? ""}`);
    const got = held(await next);
    assert.equal((await got.leftBefore())[0]?.how, "released", "it was given back, not taken");
    await got.release();

    // One that is stuck for longer than it said it could be lets its lock go, although its thread could go on for ever.
    const stuck = start(t, server.url, "stuck", "600000", "500");
    await stuck.line();
    const last = held(await client.acquire("doc/1", { ttlSeconds: 60 }));
    assert.equal((await last.leftBefore())[0]?.how, "expired");
    stuck.process.kill("SIGKILL");
  });
});
