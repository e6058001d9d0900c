/** Events over HTTP. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readEvents } from "./event-reader.ts";
import { httpServer } from "./http-server.ts";
import type { HttpServer } from "./http-server.ts";

const create = (server: HttpServer, id: string, type = "plan") =>
  server.request("POST", `/v1/entities/${type}`, { body: { id, value: 1 } });

test("a stream that resumes with Last-Event-ID misses no event and repeats none, also before the first event", async () => {
  await using server = await httpServer();
  const first = await readEvents(`${server.url}/v1/events`);
  first.hangUp();
  await create(server, "while-away");
  const second = await readEvents(`${server.url}/v1/events`, { "last-event-id": first.lastId() });
  assert.equal((await second.next()).data.subject, "plan/while-away");
  await create(server, "next");
  assert.equal((await second.next()).data.subject, "plan/next");
  second.hangUp();
  await create(server, "later");
  const third = await readEvents(`${server.url}/v1/events?after=1.0`, { "last-event-id": second.lastId() });
  assert.equal((await third.next()).data.subject, "plan/later");
  third.hangUp();
});

test("only the last event of an entry has an id, so a client that loses its connection inside an entry gets the whole entry again", async () => {
  await using server = await httpServer();
  const reader = await readEvents(`${server.url}/v1/events`);
  await server.request("POST", "/v1/locks/acquire", { body: { paths: ["a", "b"], owner_id: "ann", ttl_seconds: 60 } });
  const [one, two] = [await reader.next(), await reader.next()];
  assert.equal(one.data.position, two.data.position);
  assert.equal(one.id, undefined);
  assert.match(two.id ?? "", /^1\.[0-9]+$/u);
  reader.hangUp();
});

test("a stream with a filter by names, subject or owner omits all other events", async () => {
  await using server = await httpServer();
  const cursor = (await server.request("GET", "/v1/cursor")).body["cursor"] as string;
  await create(server, "1");
  await create(server, "1", "note");
  await server.request("POST", "/v1/locks/acquire", { body: { paths: ["x"], owner_id: "ann", ttl_seconds: 60 } });
  const firstOf = async (query: string): Promise<string> => {
    const reader = await readEvents(`${server.url}/v1/events?after=${cursor}&${query}`);
    const { data } = await reader.next();
    reader.hangUp();
    return data.subject;
  };
  assert.equal(await firstOf("names=evt.note.created,evt.lock.acquired"), "note/1");
  assert.equal(await firstOf("subject=note%2F"), "note/1");
  assert.match(await firstOf("owner=ann"), /^lock\//u);
});

test("a malformed cursor is refused with 400, and a cursor of another history with 410", async () => {
  await using server = await httpServer();
  const statusOf = async (cursor: string): Promise<unknown> => {
    const { status, body } = await server.request("GET", `/v1/events?after=${cursor}`);
    return [status, body["code"]];
  };
  assert.deepEqual(await statusOf("x"), [400, "cursor_invalid"]);
  assert.deepEqual(await statusOf("7.1"), [410, "cursor_lost"]);
  assert.deepEqual(await statusOf("1.99999"), [410, "cursor_lost"]);
});

test("two hundred streams receive every event of a burst in order", async () => {
  await using server = await httpServer();
  const readers = await Promise.all(Array.from({ length: 200 }, () => readEvents(`${server.url}/v1/events`)));
  const ids = Array.from({ length: 200 }, (_, index) => `b${String(index)}`);
  const commands = ids.map((id) => ({ operation: "create-entity", input: { type: "plan", id, value: 1 } }));
  await server.request("POST", "/v1/commands", { body: commands });
  await Promise.all(
    readers.map(async (reader) => {
      for (const id of ids) assert.equal((await reader.next()).data.subject, `plan/${id}`);
      reader.hangUp();
    }),
  );
});

test("a server that closes ends its streams, and answers a pending wait for a lock", async () => {
  const server = await httpServer();
  const reader = await readEvents(`${server.url}/v1/events?names=evt.lock.queued`);
  const acquire = (owner_id: string, headers = {}) =>
    server.request("POST", "/v1/locks/acquire", { body: { paths: ["x"], owner_id, ttl_seconds: 60 }, headers });
  await acquire("ann");
  const waiting = acquire("bob", { prefer: "wait=60" });
  await reader.next();
  const closed = server.close();
  assert.equal((await waiting).status, 202);
  assert.ok(await reader.ended());
  await closed;
  assert.deepEqual(server.reports, []);
});
