import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { connect } from "holdfast";
import { serverFor } from "../socket/with-server.ts";
import { held } from "./client-node.ts";

const threadCount = (): number => readdirSync("/proc/self/task").length;

test(
  "a program keeps all its agents alive with one thread, however many there are [X11]",
  { skip: process.platform === "linux" ? false : "only Linux shows the threads of a process" },
  async (t) => {
    const server = await serverFor(t);
    await using client = await connect(server.url);
    const forks = Array.from({ length: 8 }, (_, number) => client.agent({ name: `task ${number}` }));
    const [first, ...others] = forks;
    assert.ok(first !== undefined);
    held(await first.acquire("doc/first"));
    const before = threadCount();
    const locks = await Promise.all(others.map(async (fork, number) => held(await fork.acquire(`doc/${number}`))));
    assert.equal(threadCount(), before, "the other forks started no thread");
    assert.deepEqual(new Set(locks.map(({ state }) => state)), new Set(["held"]));
    // A fork that closes does not affect the others.
    await first.close();
    const last = held(await client.agent().acquire("doc/last"));
    assert.equal(last.state, "held");
  },
);
