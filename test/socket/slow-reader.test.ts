import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "holdfast";
import type { WatchedEvent } from "holdfast";
import { doorFor } from "./door-for.ts";
import { rawSocketFor } from "./raw-socket.ts";

test("a client that stops reading is disconnected, and delays no other client meanwhile", async (t) => {
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
    // The client's own events arrive at once, regardless of the backlog of the stalled sockets.
    const { value: event } = (await events.next()) as { readonly value: WatchedEvent };
    assert.equal(event.position, count);
  }
});

test("calls above the limit of concurrent calls wait unread, and all are answered", async (t) => {
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

test("a socket has a maximum of watches, and a socket without a hello is closed after a timeout", async (t) => {
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
