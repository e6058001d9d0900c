import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { connect } from "holdfast";
import type { WatchedEvent } from "holdfast";
import type { Gate } from "../../server/src/access/gate.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import { systemIds } from "../../server/src/base/ids.ts";
import type { SocketLimits } from "../../server/src/doors/socket/limits.ts";
import { readJson } from "../../server/src/machine/canonical/read-json.ts";
import { openSocketDoor } from "../../server/src/doors/socket/open.ts";
import { start, transportOf } from "../../server/src/server.ts";
import { rawSocketFor } from "./raw-socket.ts";

/** The door alone, with limits that a test can reach. */
async function doorFor(
  t: TestContext,
  limits: Partial<SocketLimits>,
): Promise<{ url: string; cutCount: () => number }> {
  const { engine, client } = await start({ memory: true });
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  let cutCount = 0;
  server.on("connection", (socket) => socket.on("close", () => (cutCount += 1)));
  const gate: Gate = {
    refresh: () => Promise.resolve(false),
    admit: ({ connection: caller }) => {
      const principal = "anonymous";
      return {
        principal,
        isOperator: false,
        transport: transportOf(engine, { principal, caller, sharesData: true }),
      };
    },
  };
  const report = (message: string): never => assert.fail(message);
  const door = openSocketDoor({
    readJson,
    server,
    gate,
    clock: systemClock,
    ids: systemIds,
    version: "test",
    report,
    limits,
  });
  t.after(async () => {
    await door.close();
    server.close();
    await client.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cutCount: () => cutCount };
}

test("a reader that stops reading is cut off, and meanwhile nobody else waits for it", async (t) => {
  const { url, cutCount } = await doorFor(t, { bufferedBytesMax: 65_536, stalledMsMax: 300 });
  await using client = await connect(url);
  const stalled = await Promise.all(Array.from({ length: 20 }, () => rawSocketFor(t, url)));
  for (const socket of stalled) {
    socket.hello();
    socket.send({ kind: "watch", id: 1, after: "1.0" });
    await socket.message("watching");
    socket.stopReading();
  }
  const events = client.watch({ after: "1.0" });
  const large = "x".repeat(500_000);
  for (let count = 1; cutCount() < stalled.length; count += 1) {
    await client.entities.create("item", String(count), large);
    // Its own events come at once, however much waits for the others.
    const { value: event } = (await events.next()) as { readonly value: WatchedEvent };
    assert.equal(event.position, count);
  }
});

test("calls over the bound wait unread, and all are answered", async (t) => {
  const { url } = await doorFor(t, { callsMax: 4 });
  const socket = await rawSocketFor(t, url);
  socket.hello();
  const calls = Array.from({ length: 50 }, (_, id) => ({
    kind: "call",
    id,
    operation: "create-entity",
    input: { type: "item", id: String(id), value: id },
  }));
  socket.send(...calls.slice(0, 25));
  socket.send(...calls.slice(25));
  const positions: unknown[] = [];
  for (const _ of calls) positions.push((await socket.message("reply"))["position"]);
  assert.deepEqual(
    positions,
    calls.map(({ id }) => id + 1),
  );
});

test("one socket watches only so much, and whoever says no hello is turned away", async (t) => {
  const { url } = await doorFor(t, { watchesMax: 2, helloMsMax: 200 });
  const socket = await rawSocketFor(t, url);
  socket.hello();
  for (const id of [1, 2, 3]) socket.send({ kind: "watch", id, after: "1.0" });
  assert.deepEqual(await socket.message("problem"), {
    kind: "problem",
    id: 3,
    problem: { code: "watch_limit", data: { limit: 2 } },
  });
  socket.send({ kind: "unwatch", id: 1 }, { kind: "ping", id: 9 });
  await socket.message("pong");
  socket.send({ kind: "watch", id: 3, after: "1.0" });
  assert.equal((await socket.message("watching"))["id"], 3);
  const silent = await rawSocketFor(t, url);
  assert.equal(await silent.closed, 4408);
});
