/** Idempotency keys over HTTP: which requests are replayed, and in which order a request is checked. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { httpServer, rawExchange } from "./http-server.ts";
import type { HttpServer } from "./http-server.ts";

let server: HttpServer;
before(async () => {
  server = await httpServer();
});
after(() => server.close());

async function create(id: string): Promise<{ path: string; tag: string }> {
  const { headers } = await server.request("POST", "/v1/entities/plan", { body: { id, value: { a: 1 } } });
  return { path: `/v1/entities/plan/${id}`, tag: headers.get("etag") ?? "" };
}

test("a request with an idempotency key runs once and gets the same answer each time, bare or quoted [P4]", async () => {
  const { path, tag } = await create("once");
  const patch = (key: string) =>
    server.request("PATCH", path, { body: { b: 1 }, headers: { "if-match": tag, "idempotency-key": key } });
  const first = await patch("k-1");
  const position = await server.position();
  const again = await patch('"k-1"');
  assert.equal(first.headers.get("idempotent-replayed"), "false");
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.equal(again.headers.get("etag"), first.headers.get("etag"));
  assert.deepEqual({ ...again.body, replayed: false }, first.body);
  assert.equal(again.body["replayed"], true);
  assert.equal(await server.position(), position, "a replay adds nothing to the journal");
});

test("a known idempotency key is replayed even if the tag is outdated or the entity is deleted [P4]", async () => {
  const { path, tag } = await create("old");
  const headers = { "if-match": tag, "idempotency-key": "k-2" };
  const first = await server.request("PATCH", path, { body: { b: 1 }, headers });
  await server.request("DELETE", path, { headers: { "if-match": first.headers.get("etag") ?? "" } });
  const again = await server.request("PATCH", path, { body: { b: 1 }, headers });
  assert.equal(again.status, 200);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
});

test("a conflict is recorded once under its idempotency key, with its explanation [P4 X4]", async () => {
  const { path, tag } = await create("conflict");
  await server.request("PATCH", path, { body: { b: 1 }, headers: { "if-match": tag } });
  const headers = { "if-match": tag, "idempotency-key": "k-3" };
  const first = await server.request("PATCH", path, { body: { b: 2 }, headers });
  await server.request("PATCH", path, { body: { c: 1 }, headers: { "if-match": first.headers.get("etag") ?? "" } });
  const position = await server.position();
  const again = await server.request("PATCH", path, { body: { b: 2 }, headers });
  assert.equal(again.status, 412);
  assert.deepEqual({ ...again.body, replayed: false }, first.body);
  assert.equal(await server.position(), position);
});

test("an idempotency key with another body, another tag or no tag is refused with 422 [P4 P5]", async () => {
  const { path, tag } = await create("other");
  const key = { "idempotency-key": "k-4" };
  const first = await server.request("PATCH", path, { body: { b: 1 }, headers: { ...key, "if-match": tag } });
  const others = [
    { body: { b: 2 }, headers: { ...key, "if-match": tag } },
    { body: { b: 1 }, headers: { ...key, "if-match": first.headers.get("etag") ?? "" } },
    { body: { b: 1 }, headers: key },
  ];
  for (const other of others) {
    const answer = await server.request("PATCH", path, other);
    assert.equal(answer.status, 422, answer.text);
    assert.equal(answer.body["code"], "idempotency_replay_conflict");
    assert.ok(!answer.text.includes('"value"'), "the answer does not reveal the first request");
  }
});

test("a request that fails the checks of its headers or schema does not consume its idempotency key [P4]", async () => {
  const { path, tag } = await create("free");
  const key = { "idempotency-key": "k-5" };
  assert.equal((await server.request("PUT", path, { body: { value: 2 }, headers: key })).status, 428);
  assert.equal((await server.request("PUT", path, { body: {}, headers: { ...key, "if-match": tag } })).status, 422);
  const answer = await server.request("PUT", path, { body: { value: 2 }, headers: { ...key, "if-match": tag } });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("idempotent-replayed"), "false");
});

test("one of many concurrent first uses of an idempotency key runs, and all get its answer [P4]", async () => {
  const { path, tag } = await create("many");
  const start = await server.position();
  const headers = { "if-match": tag, "idempotency-key": "k-6" };
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => server.request("PATCH", path, { body: { b: 1 }, headers })),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(answers.filter(({ body }) => body["replayed"] === false).length, 1);
  assert.equal((await server.position()) - start, 1);
});

for (const [what, key] of [
  ["that is empty", ""],
  ["that is too long", "x".repeat(256)],
  ["that has a quote inside", 'a"b'],
  ["that has a backslash", "a\\b"],
  ["that is quoted and empty", '""'],
] as const) {
  test(`an idempotency key ${what} is refused with 400 [P4]`, async () => {
    const answer = await server.request("POST", "/v1/locks/release", { body: {}, headers: { "idempotency-key": key } });
    assert.equal(answer.status, 400);
    assert.equal(answer.body["code"], "idempotency_key_invalid");
  });
}

test("a request that repeats the header Idempotency-Key, If-Match or X-Agent-Id is refused with 400 [P4]", async () => {
  const { host } = new URL(server.url);
  for (const name of ["Idempotency-Key", "If-Match", "X-Agent-Id"]) {
    const lines = [`DELETE /v1/entities/plan/none HTTP/1.1`, `Host: ${host}`, `${name}: "1.1"`, `${name}: "1.1"`];
    const answer = await rawExchange(server.url, `${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 400 /u, name);
    assert.match(answer, /application\/problem\+json/u);
  }
});
