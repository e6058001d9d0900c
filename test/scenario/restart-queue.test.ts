import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "holdfast";
import type { Client, Lock } from "holdfast";
import { held, soon } from "../client/client-node.ts";
import { folderFor } from "../socket/with-server.ts";
import { freePort } from "./free-port.ts";
import { holdfast } from "./holdfast-command.ts";

const names = ["ann", "bob", "carl", "dora"] as const;
const ttlSeconds = 60;

test("a server that is killed while agents queue for a lock keeps the holder, the order of the waiters and every grant [X5 X3]", async (t) => {
  const folder = await folderFor(t);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const up = async () => {
    const server = holdfast(folder, `up --json --port ${port}`);
    t.after(() => server.signal("SIGKILL"));
    await server.line(/"up"/u);
    return server;
  };
  let server = await up();
  const restart = async (): Promise<void> => {
    server.signal("SIGKILL");
    await server.ended;
    server = await up();
  };
  // Each agent has its own connection, and the last one uses HTTP.
  const clients: Client[] = [];
  for (const name of names) {
    const client = await connect(url, { name, ...(name === "dora" ? { transport: "http" } : {}) });
    t.after(() => client.close());
    clients.push(client);
  }
  const [ann] = clients as [Client];
  const first = held(await ann.acquire("doc/1", { ttlMs: ttlSeconds * 1000 }));
  const order: string[] = [];
  const waiting: Promise<Lock>[] = [];
  for (const [index, client] of clients.slice(1).entries()) {
    const got = client.acquire("doc/1", { ttlMs: ttlSeconds * 1000 }).then((lock) => {
      order.push(names[index + 1] ?? "");
      return held(lock);
    });
    waiting.push(got);
    await soon(async () => (await ann.locks.status("doc/1")).queue.length === index + 1);
  }

  await restart();
  await first.renew({ note: "still here" });
  assert.deepEqual([first.state, order], ["held", []]);
  const { holders, queue } = await ann.locks.status("doc/1");
  assert.deepEqual([holders[0]?.fence, queue.map(({ name }) => name)], [first.fence, names.slice(1)]);

  // The next waiter is granted while no client is connected: the release is in flight when the server dies.
  const released = first.release();
  await restart();
  await released;
  const fences = [first.fence];
  for (const [index, got] of waiting.entries()) {
    const lock = await got;
    assert.deepEqual(order, names.slice(1, index + 2), "in the order of arrival, one at a time");
    assert.equal(lock.signal.aborted, false);
    fences.push(lock.fence);
    await lock.release();
  }
  const positions = fences.map((fence) => Number(fence.split(".")[1]));
  assert.deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(fences).size, names.length);
  assert.deepEqual((await ann.locks.status("doc/1")).queue, []);
});
