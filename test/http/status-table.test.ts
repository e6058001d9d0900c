/** Every row of the table of statuses, every form of a header, and the order of the checks of a request. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { httpServer } from "./http-server.ts";
import type { HttpAnswer, HttpServer } from "./http-server.ts";
import { rows } from "./status-rows.ts";

let server: HttpServer;
before(async () => {
  server = await httpServer();
});
after(() => server.close());

let entityCount = 0;

/** A new entity for each case, at version 2, with the tags of both versions. */
async function freshEntity(): Promise<{ path: string; old: string; current: string }> {
  const id = `e${String(++entityCount)}`;
  const path = `/v1/entities/plan/${id}`;
  const created = await server.request("POST", "/v1/entities/plan", { body: { id, value: { a: 1 } } });
  const old = created.headers.get("etag") ?? "";
  const changed = await server.request("PATCH", path, { body: { b: 1 }, headers: { "if-match": old } });
  return { path, old, current: changed.headers.get("etag") ?? "" };
}

for (const { what, method, given, path, status, code, records } of rows) {
  test(`${what} is answered with ${String(status)}${code === undefined ? "" : ` ${code}`} [P2 P9]`, async () => {
    const entity = await freshEntity();
    const start = await server.position();
    const answer = await server.request(method, path ?? entity.path, given?.(entity) ?? {});
    assert.equal(answer.status, status, answer.text);
    if (code !== undefined) assertProblem(answer, code);
    assert.equal((await server.position()) - start, records === true ? 1 : 0, "entries");
    const isMismatch = code === "concurrency_mismatch";
    if (isMismatch) assert.equal(answer.headers.get("etag"), entity.current);
    if (isMismatch) assert.ok("changes" in answer.body);
  });
}

function assertProblem({ status, headers, body }: HttpAnswer, code: string): void {
  assert.match(headers.get("content-type") ?? "", /^application\/problem\+json/u);
  assert.equal(body["code"], code);
  assert.equal(body["type"], `urn:holdfast:problem:${code}`);
  assert.equal(body["status"], status);
  for (const name of ["title", "detail", "next", "retry"]) assert.equal(typeof body[name], "string", name);
}

test("a write returns the full new representation and its tag for the next write [P3]", async () => {
  const { path, current } = await freshEntity();
  const first = await server.request("PATCH", path, { body: { c: 1 }, headers: { "if-match": current } });
  assert.deepEqual(first.body["value"], { a: 1, b: 1, c: 1 });
  assert.equal(first.headers.get("etag"), `"${String(first.body["revision"])}"`);
  assert.equal(first.body["previous_revision"], current.slice(1, -1));
  const chained = { "if-match": first.headers.get("etag") ?? "" };
  const second = await server.request("PUT", path, { body: { value: 7 }, headers: chained });
  assert.equal(second.body["value"], 7);
  const read = await server.request("GET", path);
  assert.equal(read.headers.get("etag"), second.headers.get("etag"));
});

test("a read gets 304 if If-None-Match has the current tag in any form, and 200 otherwise", async () => {
  const { path, old, current } = await freshEntity();
  const statusOf = async (tag: string): Promise<number> =>
    (await server.request("GET", path, { headers: { "if-none-match": tag } })).status;
  for (const tag of [current, `W/${current}`, `${old}, ${current}`, "*"]) assert.equal(await statusOf(tag), 304, tag);
  for (const tag of [old, '"x"']) assert.equal(await statusOf(tag), 200, tag);
});

test("an entity can be created by POST and by PUT, and the answer has its address", async () => {
  const posted = await server.request("POST", "/v1/entities/plan", { body: { id: "a/b c", value: 1 } });
  assert.equal(posted.status, 201);
  assert.equal(posted.headers.get("location"), "/v1/entities/plan/a%2Fb%20c");
  assert.equal((await server.request("GET", posted.headers.get("location") ?? "")).status, 200);
  assert.equal((await server.request("POST", "/v1/entities/plan", { body: { id: "a/b c", value: 1 } })).status, 409);
  const put = await server.request("PUT", "/v1/entities/plan/p", {
    body: { value: 1 },
    headers: { "if-none-match": "*" },
  });
  assert.equal(put.status, 201);
});
