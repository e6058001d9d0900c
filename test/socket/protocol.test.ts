import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { connect } from "holdfast";
import { WebSocketServer } from "ws";
import { refusalOf } from "../api/refused-with.ts";
import { rawSocketFor } from "./raw-socket.ts";
import { serverFor } from "./with-server.ts";
import { counts } from "../prove/counts.ts";

const get = (id: number) => ({ kind: "call", id, operation: "get-entity", input: { type: "plan", id: "1" } });

test("a hello is answered with a welcome, and a frame of calls with a frame of replies", async (t) => {
  const { url } = await serverFor(t);
  const socket = await rawSocketFor(t, url);
  socket.hello();
  const welcome = await socket.message("welcome");
  assert.deepEqual(
    [welcome["protocol"], welcome["epoch"], welcome["cursor"], typeof welcome["version"]],
    [1, 1, "1.0", "string"],
  );
  const input = { type: "plan", id: "1", value: { a: 1 } };
  socket.send({ kind: "call", id: 7, operation: "create-entity", input, key: "k1" }, { ...get(8), id: 8 });
  const replies = [await socket.message("reply"), await socket.message("reply")];
  const created = replies.find(({ id }) => id === 7);
  assert.deepEqual([created?.["position"], created?.["replayed"]], [1, false]);
  socket.send(get(9), get(10), get(11));
  assert.deepEqual(
    (await socket.frame()).map(({ id }) => id),
    [9, 10, 11],
  );
  socket.send({ kind: "ping", id: 12 }, { kind: "cursor", id: 13 });
  assert.deepEqual(await socket.message("pong"), { kind: "pong", id: 12 });
});

test("a reply has the events of its entry, unless the caller requests only the outcome", async (t) => {
  const { url } = await serverFor(t);
  const socket = await rawSocketFor(t, url);
  socket.hello();
  const create = (id: number) => {
    const input = { type: "plan", id: String(id), value: { a: 1 } };
    return { kind: "call", id, operation: "create-entity", input };
  };
  socket.send(create(1));
  const full = await socket.message("reply");
  socket.send({ ...create(2), events: false });
  const quiet = await socket.message("reply");
  const names = (reply: typeof full) => (reply["events"] as readonly { name: string }[]).map(({ name }) => name);
  assert.deepEqual([names(full), names(quiet)], [["evt.plan.created"], []]);
  const kinds = [full, quiet].map((reply) => (reply["outcome"] as { kind: string }).kind);
  assert.deepEqual(kinds, ["done", "done"]);
});

for (const wrong of [
  { events: true },
  { reads: "any" },
  { key: 1 },
  { as: -1 },
  { deadline_ms: "1" },
  { retry: "no" },
]) {
  test(`a frame is refused as a whole if a call in it has the invalid member ${JSON.stringify(wrong)}`, async (t) => {
    const { url } = await serverFor(t);
    const socket = await rawSocketFor(t, url);
    socket.hello();
    socket.send({ ...get(1), ...wrong }, get(2));
    const { problem } = await socket.message("problem");
    const { code, data } = problem as { code: string; data: { reason: string } };
    assert.equal(code, "frame_malformed");
    assert.ok(data.reason.startsWith(`message 0: \`${Object.keys(wrong).join("")}\` must be`), data.reason);
  });
}

test("an agent identifies itself once per socket, and its calls carry its number [M14]", async (t) => {
  const { url } = await serverFor(t);
  await using client = await connect(url);
  const { agentId, secret } = await client.agents.register({ name: "ann" });
  const socket = await rawSocketFor(t, url);
  socket.hello();
  const whoAmI = { kind: "call", operation: "who-am-i", input: {} };
  socket.send({ kind: "agent", as: 3, agent: agentId, secret }, { ...whoAmI, id: 1, as: 3 });
  const { outcome } = await socket.message("reply");
  assert.equal((outcome as { data: { agent: { agent_id: string } } }).data.agent.agent_id, agentId);
  socket.send({ ...whoAmI, id: 2, as: 4 });
  assert.equal((await socket.message("problem"))["id"], 2, "agent number 4 is unknown");
  socket.send({ kind: "agent", as: 5, agent: agentId, secret: "wrong" }, { ...whoAmI, id: 3, as: 5 });
  assert.equal(((await socket.message("reply"))["outcome"] as { code: string }).code, "agent_unknown");
});

test("a watch stops sixteen messages ahead of its reader, and continues when the reader requests more", async (t) => {
  const { url } = await serverFor(t);
  await using client = await connect(url);
  const socket = await rawSocketFor(t, url);
  socket.hello();
  socket.send({ kind: "watch", id: 1, owner: "ann", after: "1.0" });
  assert.deepEqual(await socket.message("watching"), { kind: "watching", id: 1, cursor: "1.0" });
  for (let index = 0; index < 20; index += 1) {
    await client.operations.acquireLock({ paths: [`a/${index}`], ttlMs: 60_000, ownerId: "ann" });
    if (index < 16) await socket.message("events");
  }
  socket.send({ kind: "more", id: 1, count: 16 });
  const { events } = await socket.message("events");
  assert.equal((events as { position: number }[])[0]?.position, 17, "the watch continues where it stopped");
  socket.send({ kind: "watch", id: 2, after: "nonsense" });
  const ended = await socket.message("ended");
  assert.equal((ended["problem"] as { code: string }).code, "cursor_invalid");
});

test("several watches of one event get it under their own ids, alone in a frame or with other messages", async (t) => {
  const { url } = await serverFor(t);
  const [one, several] = [await rawSocketFor(t, url), await rawSocketFor(t, url)];
  const watch = { kind: "watch", after: "1.0" };
  one.hello();
  one.send({ ...watch, id: 7 });
  several.hello();
  several.send({ ...watch, id: 1 }, { ...watch, id: 2 });
  await one.message("watching");
  for (const id of [1, 2]) assert.equal((await several.message("watching"))["id"], id);
  const input = { type: "note", id: "ü", value: { text: "größer \u{1f600}" } };
  several.send({ kind: "call", id: 3, operation: "create-entity", input });
  const message = await one.message("events");
  assert.equal(message["id"], 7);
  const [event] = message["events"] as readonly { readonly subject: string; readonly data: unknown }[];
  assert.equal(event?.subject, "note/ü");
  assert.match(JSON.stringify(event.data), /größer \u{1f600}/u);
  for (const id of [1, 2]) assert.deepEqual(await several.message("events"), { ...message, id });
});

test("watches with different filters get different pages between the same first and last event", async (t) => {
  const { url } = await serverFor(t);
  await using client = await connect(url);
  for (const [id, type] of ["x", "y", "z", "x"].entries()) await client.entities.create(type, String(id), id);
  const socket = await rawSocketFor(t, url);
  socket.hello();
  const names = (...types: readonly string[]) => types.map((type) => `evt.${type}.created`);
  socket.send({ kind: "watch", id: 1, after: "1.0", names: names("x", "y") });
  socket.send({ kind: "watch", id: 2, after: "1.0", names: names("x", "z") });
  const seen = new Map<unknown, string>();
  while (seen.size < 2) {
    const { id, events } = await socket.message("events");
    seen.set(id, (events as { subject: string }[]).map(({ subject }) => subject).join());
  }
  assert.deepEqual([seen.get(1), seen.get(2)], ["x/0,y/1,x/3", "x/0,z/2,x/3"]);
});

test("a malformed frame changes nothing, is answered with the reason, and closes the socket after several", async (t) => {
  const { url } = await serverFor(t);
  const socket = await rawSocketFor(t, url);
  socket.hello();
  const reasons: unknown[] = [];
  const wrong = ["nonsense", "{}", "[3]", '[{"kind":"dance"}]', '[{"kind":"call","id":-1}]'];
  for (const text of wrong) {
    socket.sendRaw(text);
    const { problem } = await socket.message("problem");
    reasons.push((problem as { data: { reason: string } }).data.reason);
  }
  assert.match(String(reasons[3]), /unknown kind; the known kinds are call, hello/u);
  assert.match(String(reasons[4]), /message 0: `id` must be a whole number/u);
  assert.equal(await socket.closed, 4400);
});

test("a frame with a fault is refused as a whole, including the messages before the fault", async (t) => {
  const { url } = await serverFor(t);
  await using client = await connect(url);
  const socket = await rawSocketFor(t, url);
  socket.hello();
  const create = { kind: "call", id: 1, operation: "create-entity", input: { type: "plan", id: "1", value: 1 } };
  socket.send(create, { kind: "call", id: "x" });
  await socket.message("problem");
  assert.deepEqual((await client.entities.list("plan")).items, []);
});

test("a socket without a hello, with a frame that is too large, or with a binary frame is refused", async (t) => {
  const { url } = await serverFor(t);
  const early = await rawSocketFor(t, url);
  early.send(get(1));
  assert.match(JSON.stringify(await early.message("problem")), /first message must be hello/u);
  const loud = await rawSocketFor(t, url);
  loud.sendRaw(`[${" ".repeat(4 * 1_048_576)}]`);
  assert.equal(await loud.closed, 1009);
  const binary = await rawSocketFor(t, url);
  binary.sendRaw(Buffer.from([1, 2, 3]));
  assert.match(JSON.stringify(await binary.message("problem")), /frames are text/u);
});

test("a server refuses a client of another protocol version, and names both versions", async (t) => {
  const { url } = await serverFor(t);
  for (const protocol of [0, 99]) {
    const socket = await rawSocketFor(t, url);
    // A later protocol may have messages that are unknown to this server.
    socket.send({ kind: "hello", protocol }, { kind: "negotiate", id: "a" });
    assert.deepEqual((await socket.message("problem"))["problem"], {
      code: "protocol_mismatch",
      data: {
        client_protocol: protocol,
        server_protocol: 1,
        reason: `the client speaks protocol ${protocol}, the server protocol 1`,
      },
    });
    assert.equal(await socket.closed, 4401);
  }
});

test("a client refuses a server of another protocol version, and names both versions", async (t) => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  t.after(() => server.close());
  await once(server, "listening");
  server.on("connection", (socket) => {
    const welcome = { kind: "welcome", protocol: 2, version: "9.0.0", epoch: 1, cursor: "1.0" };
    // The rest of the frame belongs to that protocol and must not be read.
    socket.on("message", () => socket.send(JSON.stringify([welcome, { kind: "reply", id: "x" }])));
  });
  await using client = await connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const refused = await refusalOf(client.entities.get("plan", "1"));
  assert.equal(refused.code, "protocol_mismatch");
  assert.deepEqual([refused.data["clientProtocol"], refused.data["serverProtocol"]], [1, 2]);
  assert.match(refused.message, /the client speaks protocol 1, the server protocol 2/u);
});

/** The status of the answer to a handshake. */
async function handshake(url: string, path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const given = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", ...headers };
  const asked = request(new URL(path, url), {
    headers: { ...given, "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==" },
  });
  asked.on("response", (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  asked.on("upgrade", (response, socket) => {
    socket.destroy();
    resolve(response.statusCode ?? 0);
  });
  asked.on("error", reject);
  asked.end();
  return promise;
}

test("a foreign page cannot open the socket, because its Origin, Host and Sec-Fetch-Site headers are checked", async (t) => {
  const { url } = await serverFor(t);
  assert.equal(await handshake(url, "/v1/socket", {}), 101);
  assert.equal(await handshake(url, "/v1/socket", { origin: url }), 101);
  assert.equal(await handshake(url, "/v1/socket", { origin: "https://evil.example" }), 403);
  assert.equal(await handshake(url, "/v1/socket", { origin: "null" }), 403);
  assert.equal(await handshake(url, "/v1/socket", { host: "evil.example" }), 403);
  assert.equal(await handshake(url, "/v1/socket", { "sec-fetch-site": "cross-site" }), 403);
  assert.equal(await handshake(url, "/v1/elsewhere", {}), 404);
});

/** Messages that are almost valid. */
const nearly = fc.record(
  {
    kind: fc.constantFrom(
      "call",
      "watch",
      "listen",
      "agent",
      "more",
      "unwatch",
      "cursor",
      "ping",
      "hello",
      "x",
      1,
      null,
    ),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(undefined)),
    operation: fc.oneof(fc.constantFrom("get-entity", "list-locks", "constructor", "__proto__"), fc.jsonValue()),
    input: fc.jsonValue(),
    as: fc.oneof(fc.integer(), fc.jsonValue()),
    after: fc.oneof(fc.constantFrom("1.0", "9.9", ""), fc.jsonValue()),
    count: fc.oneof(fc.integer(), fc.jsonValue()),
    owner: fc.oneof(fc.constantFrom("ann", ""), fc.jsonValue()),
    protocol: fc.oneof(fc.constant(1), fc.jsonValue()),
  },
  { requiredKeys: ["kind"] },
);

test("no invalid frame stops the server or changes its state", async (t) => {
  const { url } = await serverFor(t);
  await using client = await connect(url);
  const before = await client.cursor();
  const frames = fc.array(fc.oneof(fc.array(nearly, { maxLength: 5 }), fc.jsonValue(), fc.string()), { maxLength: 8 });
  for (const list of fc.sample(frames, { numRuns: counts.socketFrames, seed: 4654 })) {
    const socket = await rawSocketFor(t, url);
    socket.hello();
    for (const frame of list) socket.sendRaw(typeof frame === "string" ? frame : JSON.stringify(frame));
    socket.send({ kind: "ping", id: 1 });
    await Promise.race([socket.message("pong"), socket.closed]);
    socket.end();
  }
  assert.equal(await client.cursor(), before);
});
