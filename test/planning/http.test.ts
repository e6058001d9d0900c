import assert from "node:assert/strict";
import { test } from "node:test";
import { serverFor } from "../socket/with-server.ts";
import { planningHttp, assertProblem, createPlan } from "./planning-http.ts";
import type { PlanningBody } from "./planning-http.ts";

/** Every way to change a resource, with a valid body. */
const changes: readonly (readonly [method: string, path: string, body: object | undefined])[] = [
  ["PATCH", "/organizations/o", { name: "Apex" }],
  ["PATCH", "/missions/m", { description: "by hand" }],
  ["DELETE", "/assignments/a", undefined],
  ["POST", "/missions/m/transition", { to: "planned" }],
  ["POST", "/projects/p/archive", undefined],
  ["POST", "/projects/p/unarchive", undefined],
];

test("every single read has a strong ETag, equal to the revision in bodies and lists, and every change replaces it [P1]", async (t) => {
  const request = planningHttp((await serverFor(t)).url);
  await createPlan(request);
  for (const [plural, id] of [
    ["organizations", "o"],
    ["projects", "p"],
    ["collaborators", "ann"],
    ["missions", "m"],
    ["assignments", "a"],
  ]) {
    const read = await request("GET", `/${plural ?? ""}/${id ?? ""}`);
    assert.match(read.etag, /^"[^"]+"$/u);
    assert.equal(read.etag, `"${String(read.body["revision"])}"`);
    const { body } = await request("GET", `/${plural ?? ""}?limit=1`);
    const [first] = body["items"] as PlanningBody[];
    assert.equal(first?.["revision"], read.body["revision"]);
    const cached = await request("GET", `/${plural ?? ""}/${id ?? ""}`, undefined, { "if-none-match": read.etag });
    assert.equal(cached.status, 304);
  }
  const same = await request("PATCH", "/organizations/o", { name: "Acme" }, { "if-match": '"1.1"' });
  assert.deepEqual([same.status, same.etag, same.body["changed"]], [200, '"1.1"', false]);
});

test("every change requires If-Match, and each invalid form of it has its own status and code [P2 P9]", async (t) => {
  const { url } = await serverFor(t);
  const request = planningHttp(url);
  await createPlan(request);
  for (const [method, path, body] of changes) {
    const send = (tag: string) => request(method, path, body, { "if-match": tag });
    assertProblem(await request(method, path, body), 428, "planning.concurrency_etag_required");
    for (const tag of ["*", '"1.1", "1.2"', "1.1", '"1.1']) {
      assertProblem(await send(tag), 400, "planning.concurrency_etag_invalid");
    }
    assertProblem(await send('W/"1.1"'), 412, "planning.concurrency_etag_invalid");
    for (const tag of ['"9.9"', '"never-was"']) {
      const answer = await send(tag);
      assertProblem(answer, 412, "planning.concurrency_mismatch");
      assert.equal(answer.etag, '"1.1"', "the reply has the current ETag");
    }
    const both = await request(method, path, { ...body, if_match: "1.7" }, { "if-match": '"1.1"' });
    assertProblem(both, 400, "planning.concurrency_etag_invalid");
  }
  const history = await fetch(`${url}/v1/entities/planning-mission/m/history`);
  const { items } = (await history.json()) as { items: PlanningBody[] };
  const conflicts = items.filter(({ event }) => event === "evt.planning-mission.conflict");
  assert.equal(conflicts.length, 4, "each mismatch is in the history");
  const named = await request("PATCH", "/organizations/o", { name: "Apex", if_match: "1.1" });
  assert.equal(named.status, 200, "if_match in the body has the same effect");
});

test("a write returns the same resource as the next read, so that writes can be chained [P3 P7]", async (t) => {
  const request = planningHttp((await serverFor(t)).url);
  await createPlan(request);
  let tag = '"1.1"';
  for (const to of ["planned", "locked", "completed"]) {
    const written = await request("POST", "/missions/m/transition", { to }, { "if-match": tag });
    assert.deepEqual([written.status, written.body["status"]], [200, to]);
    const read = await request("GET", "/missions/m");
    const { changed: _changed, previous_revision: previous, replayed: _replayed, ...shown } = written.body;
    assert.deepEqual(shown, read.body);
    assert.equal(`"${String(previous)}"`, tag);
    assert.equal(written.etag, read.etag);
    tag = written.etag;
  }
});

test("a used key always returns its first reply, also a conflict, but an invalid body does not use its key [P4]", async (t) => {
  const request = planningHttp((await serverFor(t)).url);
  await createPlan(request);
  const keyed = (key: string) => ({ "idempotency-key": key });
  const range = { from: "2027-03-01T08:00:00Z", to: "2027-03-05T08:00:00Z" };
  await request("POST", "/missions/m/transition", { to: "planned" }, { "if-match": '"1.1"' });
  await request("POST", "/missions", { id: "n", project_id: "p", name: "Paint", ...range });
  await request("POST", "/assignments", {
    id: "b",
    mission_id: "n",
    collaborator_id: "ann",
    role: "painter",
    ...range,
  });
  const plan2 = () =>
    request("POST", "/missions/n/transition", { to: "planned" }, { "if-match": '"1.1"', ...keyed("plan-n") });
  const clash = await plan2();
  assertProblem(clash, 409, "planning.booking_clash");
  await request("POST", "/missions/m/transition", { to: "cancelled" }, { "if-match": '"1.2"' });
  const again = await plan2();
  assert.deepEqual(again.body["clashes"], clash.body["clashes"], "the clash is replayed although it is resolved");
  assert.deepEqual([clash.replayed, again.replayed], ["false", "true"]);
  const create = (body: object) => request("POST", "/organizations", body, keyed("org-2"));
  assertProblem(await create({ nome: "Umbrella" }), 422, "input_invalid");
  const made = await create({ name: "Umbrella" });
  assert.equal(made.status, 201, "an invalid body leaves the key free");
  const quoted = await request("POST", "/organizations", { name: "Umbrella" }, keyed('"org-2"'));
  assert.deepEqual([quoted.status, quoted.body["id"], quoted.replayed], [201, made.body["id"], "true"]);
  assertProblem(await create({ name: "Other" }), 422, "planning.idempotency_replay_conflict");
  for (const key of ["", "x".repeat(256), "tab\there"]) {
    const bad = await request("POST", "/organizations", { name: "Bad" }, keyed(key)).catch(() => undefined);
    if (bad !== undefined) assertProblem(bad, 400, "planning.idempotency_key_invalid");
  }
});

test("a key that was used on one route is independent of the same key on another route [P5]", async (t) => {
  const request = planningHttp((await serverFor(t)).url);
  await createPlan(request);
  const key = { "idempotency-key": "one" };
  assert.equal((await request("POST", "/organizations", { name: "Umbrella" }, key)).status, 201);
  const project = await request("POST", "/projects", { organization_id: "o", name: "Tunnel" }, key);
  assert.deepEqual([project.status, project.replayed], [201, "false"]);
});

test("a change that the state of a mission forbids is refused with its own code and changes nothing [P7 P9]", async (t) => {
  const { url } = await serverFor(t);
  const request = planningHttp(url);
  await createPlan(request);
  assertProblem(await request("GET", "/missions/none"), 404, "entity_not_found");
  assertProblem(
    await request("POST", "/missions/m/transition", { to: "locked" }, { "if-match": '"1.1"' }),
    409,
    "planning.transition_invalid",
  );
  assertProblem(await request("DELETE", "/missions/m", undefined, { "if-match": '"1.1"' }), 409, "planning.in_use");
  assertProblem(
    await request("PATCH", "/assignments/a", { mission_id: "x" }, { "if-match": '"1.1"' }),
    422,
    "input_invalid",
  );
  await request("POST", "/missions/m/transition", { to: "planned" }, { "if-match": '"1.1"' });
  await request("POST", "/missions/m/transition", { to: "locked" }, { "if-match": '"1.2"' });
  assertProblem(
    await request("PATCH", "/assignments/a", { role: "boss" }, { "if-match": '"1.1"' }),
    409,
    "planning.mission_closed",
  );
  const reopened = await request("POST", "/missions/m/reopen", { reason: "rain" }, { "if-match": '"1.3"' });
  assertProblem(reopened, 403, "not_allowed");
  assert.equal((await request("GET", "/missions/m")).etag, '"1.3"');
});
