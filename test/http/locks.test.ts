/** Locks over HTTP: statuses, long polls, and the routes of programs. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readEvents } from "./event-reader.ts";
import { httpServer } from "./http-server.ts";
import type { HttpAnswer, JsonBody, HttpServer } from "./http-server.ts";

let server: HttpServer;
before(async () => {
  server = await httpServer();
});
after(() => server.close());

const acquire = (
  path: string,
  owner: string,
  more: JsonBody = {},
  headers: Record<string, string> = {},
): Promise<HttpAnswer> =>
  server.request("POST", "/v1/locks/acquire", {
    body: { paths: [path], owner_id: owner, ttl_seconds: 60, ...more },
    headers,
  });

async function agent(name: string): Promise<Record<string, string>> {
  const { body } = await server.request("POST", "/v1/agents/register", { body: { name } });
  return { "x-agent-id": String(body["agent_id"]), "x-agent-secret": String(body["secret"]) };
}

test("an acquire gets 200 if granted, 409 with the holder if denied, and 202 with the ticket's address if queued [G4]", async () => {
  const granted = await acquire("g", "ann", { purpose: "tests" });
  assert.equal(granted.status, 200);
  const denied = await acquire("g", "bob");
  assert.equal(denied.status, 409);
  assert.equal(denied.body["code"], "lock_denied");
  const [holder] = denied.body["holders"] as readonly JsonBody[];
  assert.deepEqual([holder?.["owner_id"], holder?.["purpose"], denied.body["place"]], ["ann", "tests", 1]);
  const queued = await acquire("g", "bob", { wait: true });
  assert.equal(queued.status, 202);
  const ticket = await server.request("GET", queued.headers.get("location") ?? "");
  assert.deepEqual([ticket.status, ticket.body["state"], ticket.body["place"]], [200, "waiting", 1]);
});

test("a long poll of an acquire is answered when the lock is granted and accepted [G4]", async () => {
  const { body } = await acquire("p", "ann");
  const reader = await readEvents(`${server.url}/v1/events?names=evt.lock.queued,evt.lock.accepted`);
  const waiting = acquire("p", "bob", {}, { prefer: "respond-async, wait=30" });
  await reader.next();
  await server.request("POST", "/v1/locks/release", { body: { fence: body["fence"], owner_id: "ann" } });
  const answer = await waiting;
  assert.deepEqual([answer.status, answer.body["granted"], answer.body["owner_id"]], [200, true, "bob"]);
  assert.equal(answer.headers.get("preference-applied"), "wait=30");
  assert.equal((await reader.next()).data.name, "evt.lock.accepted");
  reader.hangUp();
});

test("a long poll of an acquire that times out gets 202 with its place, and its ticket remains", async () => {
  await acquire("t", "ann");
  const answer = await acquire("t", "bob", {}, { prefer: "wait=1" });
  assert.deepEqual([answer.status, answer.headers.get("preference-applied")], [202, "wait=1"]);
  assert.equal((await server.request("GET", answer.headers.get("location") ?? "")).body["state"], "waiting");
});

test("a wait preference above the maximum is reduced to it, and a wait of 0 is answered at once", async () => {
  const applied = async (prefer: string): Promise<string | null> =>
    (await acquire("free", "ann", {}, { prefer })).headers.get("preference-applied");
  assert.equal(await applied("wait=100000"), "wait=60");
  assert.equal(await applied("wait=0"), "wait=0");
  assert.equal(await applied("handling=strict"), null);
});

test("a client that disconnects during a long poll keeps its ticket, and the lock is not accepted for it", async () => {
  const { body } = await acquire("h", "ann");
  const reader = await readEvents(`${server.url}/v1/events?owner=bob`);
  const control = new AbortController();
  const url = `${server.url}/v1/locks/acquire`;
  const headers = { "content-type": "application/json", prefer: "wait=60" };
  const text = JSON.stringify({ paths: ["h"], owner_id: "bob", ttl_seconds: 60 });
  const waiting = fetch(url, { method: "POST", headers, body: text, signal: control.signal });
  assert.equal((await reader.next()).data.name, "evt.lock.queued");
  control.abort();
  await assert.rejects(waiting);
  // This request has its own connection. By then the server has seen the other one close, or its wait has ended.
  const { body: status } = await server.request("GET", "/v1/locks/status?path=h");
  const [waiter] = status["queue"] as readonly JsonBody[];
  assert.equal(waiter?.["owner_id"], "bob");
  await server.request("POST", "/v1/locks/release", { body: { fence: body["fence"], owner_id: "ann" } });
  assert.equal((await reader.next()).data.name, "evt.lock.acquired");
  reader.hangUp();
  const ticket = await server.request("GET", `/v1/tickets/${String(waiter["ticket"])}`);
  assert.equal(ticket.body["state"], "granted");
});

test("a long poll of a ticket is answered when the lock is granted, without accepting the lock", async () => {
  const { body } = await acquire("w", "ann");
  const queued = await acquire("w", "bob", { wait: true });
  const waiting = server.request("GET", queued.headers.get("location") ?? "", { headers: { prefer: "wait=30" } });
  await server.request("POST", "/v1/locks/release", { body: { fence: body["fence"], owner_id: "ann" } });
  assert.deepEqual([(await waiting).status, (await waiting).body["state"]], [200, "granted"]);
});

test("an agent can register, send heartbeats under both routes, be listed and end, which frees its locks [G1]", async () => {
  const headers = await agent("carl");
  const id = headers["x-agent-id"] ?? "";
  await server.request("POST", "/v1/locks/acquire", { body: { paths: ["carls"], ttl_seconds: 60 }, headers });
  for (const path of ["/v1/agents/heartbeat", `/v1/agents/${id}/heartbeat`]) {
    assert.equal((await server.request("POST", path, { headers })).body["agent_id"], id);
  }
  const other = { ...headers, "x-agent-id": "somebody" };
  assert.equal((await server.request("POST", `/v1/agents/${id}/heartbeat`, { headers: other })).status, 403);
  const me = await server.request("GET", "/v1/agents/me", { headers });
  assert.equal((me.body["holds"] as readonly unknown[]).length, 1);
  assert.equal((await server.request("DELETE", `/v1/agents/${id}`, { headers })).status, 200);
  const { body } = await server.request("GET", "/v1/locks/status?path=carls");
  assert.deepEqual(body["holders"], []);
  const gone = await server.request("GET", "/v1/agents/me", { headers });
  assert.deepEqual([gone.status, gone.body["code"]], [401, "agent_unknown"]);
  assert.equal(typeof gone.body["ended_at"], "string");
});

test("functions of a program can be locked alone and in batches, listed, renewed and released [G2]", async () => {
  const [ann, bob] = [await agent("ann"), await agent("bob")];
  const place = "/v1/programs/p1/locks";
  const body = { locks: [{ function_id: "f1" }, { function_id: "f2", mode: "read" }], description: "inlines f2" };
  const batch = await server.request("POST", `${place}/batch`, { body, headers: ann });
  assert.equal(batch.status, 200);
  const modes = (batch.body["locks"] as readonly JsonBody[]).map(({ function_id, mode }) => [function_id, mode]);
  assert.deepEqual(modes, [
    ["f1", "write"],
    ["f2", "read"],
  ]);
  const denied = await server.request("POST", `${place}/acquire`, { body: { function_id: "f1" }, headers: bob });
  const [denial] = denied.body["denials"] as readonly {
    function_id: string;
    holder: JsonBody;
    queue_position: number;
  }[];
  assert.deepEqual([denied.status, denial?.function_id, denial?.queue_position], [409, "f1", 1]);
  assert.deepEqual([denial?.holder["agent_name"], denial?.holder["description"]], ["ann", "inlines f2"]);
  const shared = await server.request("POST", `${place}/acquire`, {
    body: { function_id: "f2", mode: "read" },
    headers: bob,
  });
  assert.equal(shared.status, 200);
  const queued = await server.request("POST", `${place}/acquire`, {
    body: { function_id: "f1", wait: true },
    headers: bob,
  });
  assert.deepEqual([queued.status, queued.body["queue_position"]], [202, 1]);
  const all = (await server.request("GET", place)).body["locks"] as readonly { holders: unknown[]; queue: unknown[] }[];
  assert.deepEqual(
    all.map(({ holders, queue }) => [holders.length, queue.length]),
    [
      [1, 1],
      [2, 0],
    ],
  );
  const renewed = await server.request("POST", `${place}/renew`, { body: { function_id: "f1" }, headers: ann });
  assert.equal(renewed.body["fence"], batch.body["fence"]);
  const released = await server.request("POST", `${place}/release`, {
    body: { function_ids: ["f1", "f2"] },
    headers: ann,
  });
  assert.deepEqual(released.body["released"], ["f1", "f2"]);
  const bad = await server.request("POST", `${place}/acquire`, { body: { function_id: "a/b" }, headers: ann });
  assert.equal(bad.status, 422);
});

test("the structure of a program or all of it can be locked by scope, shown, renewed and released [G2 G8]", async () => {
  const [ann, bob] = [await agent("ann"), await agent("bob")];
  const place = "/v1/programs/p2/locks";
  const post = (action: string, body: JsonBody, headers: typeof ann) =>
    server.request("POST", `${place}/${action}`, { body, headers });
  const held = await post("acquire", { scope: "structure", description: "splits modules" }, ann);
  const [lock] = held.body["locks"] as readonly JsonBody[];
  assert.deepEqual([lock?.["function_id"], lock?.["scope"], lock?.["mode"]], [null, "structure", "write"]);
  assert.equal((await post("acquire", { function_id: "f1" }, bob)).status, 200, "functions stay free");
  const denied = await post("acquire", { scope: "program" }, bob);
  const [denial] = denied.body["denials"] as readonly { function_id: null; scope: string; holder: JsonBody }[];
  assert.deepEqual(
    [denied.status, denial?.function_id, denial?.scope, denial?.holder["scope"], denial?.holder["agent_name"]],
    [409, null, "structure", "structure", "ann"],
  );
  const shown = (await server.request("GET", place)).body["locks"] as readonly { holders: readonly JsonBody[] }[];
  assert.deepEqual(
    shown.map(({ holders }) => [holders[0]?.["function_id"], holders[0]?.["scope"]]),
    [
      [null, "structure"],
      ["f1", undefined],
    ],
  );
  assert.equal((await post("renew", { scope: "structure" }, ann)).body["fence"], held.body["fence"]);
  assert.deepEqual((await post("release", { scope: "structure" }, ann)).body["released"], [null]);
  await post("release", { function_id: "f1" }, bob);
  const whole = await post("acquire", { scope: "program" }, bob);
  assert.equal((whole.body["locks"] as readonly JsonBody[])[0]?.["scope"], "program");
  assert.equal((await post("acquire", { function_id: "f9" }, ann)).status, 409, "the whole program covers functions");
  const both = await post("acquire", { scope: "program", function_id: "f1" }, bob);
  assert.deepEqual([both.status, both.body["code"]], [422, "input_invalid"]);
});

test("a renewal of several functions renews the grants of all of them or none [G2]", async () => {
  const [ann, bob] = [await agent("ann"), await agent("bob")];
  const place = "/v1/programs/p3/locks";
  const post = (action: string, body: JsonBody, headers: typeof ann) =>
    server.request("POST", `${place}/${action}`, { body, headers });
  const first = await post("acquire", { function_id: "f1", ttl_seconds: 60 }, ann);
  await post("acquire", { function_ids: ["f2", "f3"], ttl_seconds: 60 }, ann);
  await post("acquire", { function_id: "f4" }, bob);
  const renewed = await post("renew", { function_ids: ["f1", "f2", "f3"], ttl_seconds: 600 }, ann);
  const locks = renewed.body["locks"] as readonly { function_id: string; expires_at: string }[];
  assert.deepEqual(
    locks.map(({ function_id: id }) => id),
    ["f1", "f2", "f3"],
  );
  const before = Date.parse(first.body["expires_at"] as string);
  assert.ok(locks.every(({ expires_at: end }) => Date.parse(end) > before + 500_000));
  const shown = async () =>
    ((await server.request("GET", place)).body["locks"] as readonly { holders: readonly JsonBody[] }[]).map(
      ({ holders }) => holders[0]?.["expires_at"],
    );
  const ends = await shown();
  const foreign = await post("renew", { function_ids: ["f1", "f4"], ttl_seconds: 1_000 }, ann);
  assert.equal(foreign.body["code"], "lock_not_held");
  assert.deepEqual(await shown(), ends, "a refused renewal extends nothing");
});
