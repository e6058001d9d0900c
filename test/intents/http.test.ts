/** Intents over plain HTTP, as a worker without a client library uses them. */
import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "holdfast";
import { httpServer } from "../http/http-server.ts";
import type { HttpAnswer, HttpCall, HttpServer } from "../http/http-server.ts";
import { folderFor, serverFor } from "../socket/with-server.ts";

const plan = { pipeline: "orders", bridges: [{ name: "input" }, { name: "price" }] };

type Post = (path: string, body: object, headers?: HttpCall["headers"]) => Promise<HttpAnswer>;

function postsTo(server: HttpServer): Post {
  return (path, body, headers = {}) => server.request("POST", path, { body, headers });
}

async function fenceOf(post: Post, id: string, owner = "worker-7"): Promise<string> {
  const locked = await post("/v1/locks/acquire", { paths: [`intent/${id}`], owner_id: owner, ttl_seconds: 15 });
  return locked.body["fence"] as string;
}

test("a worker runs a pipeline over plain HTTP with four operations, and each step is audited [B1 B5 B11]", async () => {
  await using server = await httpServer();
  const post = postsTo(server);
  assert.equal((await post("/v1/intents", { id: "42", payload: { text: "two chairs" } })).status, 201);
  const fence = await fenceOf(post, "42");
  const current = ({ body }: HttpAnswer): unknown => (body["run"] as { readonly current?: string }).current;
  assert.equal(current(await post("/v1/intents/42/run", { fence, ...plan })), "input");
  const step = (name: string, more: object): Promise<HttpAnswer> =>
    post("/v1/intents/42/advance", { fence, run: 1, step: name, outcome: "done", ...more });
  assert.equal(current(await step("input", { to: "NORMALIZED" })), "price");
  assert.equal((await post("/v1/locks/renew", { fence, owner_id: "worker-7" })).status, 200);
  const ended = await step("price", { to: "completed", changes: { price: 7 } });
  assert.deepEqual([ended.body["status"], (ended.body["run"] as { state: string }).state], ["completed", "completed"]);
  assert.equal((await post("/v1/locks/release", { fence, owner_id: "worker-7" })).status, 200);
  const { body } = await server.request("GET", "/v1/audit?subject=intent/42&limit=100");
  const items = body["items"] as readonly { readonly records?: readonly { readonly event: string }[] }[];
  assert.deepEqual(
    items.toReversed().flatMap(({ records = [] }) => records.map(({ event }) => event)),
    [
      ...["INTENT_RECEIVED", "RUN_STARTED", "BRIDGE_STARTED", "STATUS_CHANGED", "BRIDGE_COMPLETED"],
      ...["BRIDGE_STARTED", "STATUS_CHANGED", "BRIDGE_COMPLETED", "RUN_ENDED"],
    ],
  );
});

const named = (count: number): readonly { readonly name: string }[] =>
  Array.from({ length: count }, (_, index) => ({ name: `b${index}` }));
const because = { source: "pricing", reason: "the list changed" };

/** A request, and the status and code of its refusal. The intents: `open` is received, `held` is locked and has a run. */
const refusals: readonly (readonly [
  method: string,
  path: string,
  body: object | undefined,
  status: number,
  code: string,
])[] = [
  ["GET", "/v1/intents/none", undefined, 404, "entity_not_found"],
  ["GET", "/v1/intents/gone", undefined, 410, "entity_deleted"],
  ["POST", "/v1/intents", { id: "open", payload: {} }, 409, "entity_exists"],
  ["POST", "/v1/intents", { id: "..", payload: {} }, 422, "intents.id_invalid"],
  ["PATCH", "/v1/intents/open", { text: "x" }, 428, "intents.concurrency_etag_required"],
  ["DELETE", "/v1/intents/open", undefined, 428, "intents.concurrency_etag_required"],
  ["POST", "/v1/intents/open/transition", { to: "corrected" }, 409, "intents.transition_invalid"],
  ["POST", "/v1/intents/open/transition", { to: "sold" }, 422, "intents.status_unknown"],
  ["POST", "/v1/intents/open/transition", { to: "failed", if_match: "1.9" }, 412, "intents.concurrency_mismatch"],
  ["POST", "/v1/intents/none/transition", { to: "failed" }, 404, "entity_not_found"],
  ["POST", "/v1/intents/held/transition", { to: "failed" }, 409, "intents.lock_timeout"],
  ["POST", "/v1/intents/update-many", { ids: ["open", "held"], to: "failed" }, 409, "intents.lock_timeout"],
  ["POST", "/v1/intents/update-many", { ids: ["open"] }, 422, "input_invalid"],
  ["POST", "/v1/intents/open/run", { fence: "1.1", ...plan }, 423, "intents.lock_required"],
  ["POST", "/v1/intents/none/run", { fence: "1.1", ...plan }, 404, "entity_not_found"],
  ["POST", "/v1/intents/open/stop", { reason: "enough" }, 409, "intents.run_ended"],
  ["POST", "/v1/intents/configure", { settings: { max_tries: 4 } }, 403, "not_allowed"],
  // One more than each bound of an input.
  ["POST", "/v1/intents", { id: "x".repeat(201), payload: {} }, 422, "input_invalid"],
  ["POST", "/v1/intents", { id: "a/b", payload: {} }, 422, "input_invalid"],
  ["POST", "/v1/intents", { payload: {}, technical_actor: "x".repeat(129) }, 422, "input_invalid"],
  ["POST", "/v1/intents", { payload: { text: "x".repeat(1_048_576) } }, 413, "body_too_large"],
  ["POST", "/v1/intents/update-many", { ids: Array<string>(101).fill("open"), to: "failed" }, 422, "input_invalid"],
  ["POST", "/v1/intents/open/run", { fence: "1.1", pipeline: "p", bridges: named(65) }, 422, "input_invalid"],
  ["POST", "/v1/intents/open/run", { fence: "1.1", pipeline: "p", bridges: [] }, 422, "input_invalid"],
  ["POST", "/v1/intents/open/run", { fence: "1.1", pipeline: "p", bridges: [{ name: "A" }] }, 422, "input_invalid"],
  ["POST", "/v1/intents/open/reevaluate", { diff: {}, ...because }, 422, "input_invalid"],
  ["POST", "/v1/intents/open/reevaluate", { diff: { a: 1 }, source: "", reason: "x" }, 422, "input_invalid"],
  [
    "POST",
    "/v1/intents/open/reevaluate",
    { diff: { a: 1 }, source: "x".repeat(129), reason: "x" },
    422,
    "input_invalid",
  ],
  [
    "POST",
    "/v1/intents/open/reevaluate",
    { diff: { a: 1 }, source: "x", reason: "x".repeat(501) },
    422,
    "input_invalid",
  ],
  ["POST", "/v1/intents/open/stop", {}, 422, "input_invalid"],
  ["POST", "/v1/intents/open/stop", { reason: "x".repeat(501) }, 422, "input_invalid"],
  ["GET", "/v1/intents/open?corrections=1001", undefined, 422, "input_invalid"],
  ["GET", "/v1/intents?status=sold", undefined, 422, "intents.status_unknown"],
  ["GET", "/v1/intents?run=sleeping", undefined, 422, "intents.status_unknown"],
  ["GET", "/v1/intents?limit=1001", undefined, 422, "input_invalid"],
];

test("each refusal of intents has its status and its code over HTTP, and a problem names the next step [B1 B2 B3 B11]", async () => {
  await using server = await httpServer();
  const post = postsTo(server);
  for (const id of ["open", "held", "gone"]) await post("/v1/intents", { id, payload: {} });
  await server.request("DELETE", "/v1/intents/gone", { headers: { "if-match": '"1.1"' } });
  const fence = await fenceOf(post, "held");
  assert.equal((await post("/v1/intents/held/run", { fence, ...plan })).status, 200);
  const underFence = { fence, run: 1, outcome: "done" };
  const longError = { code: "x", message: "x".repeat(2_001) };
  const position = await server.position();
  const rows: typeof refusals = [
    ...refusals,
    ["POST", "/v1/intents/held/transition", { to: "failed", fence }, 409, "intents.run_open"],
    ["POST", "/v1/intents/held/run", { ...plan, fence, pipeline: "other" }, 409, "intents.plan_differs"],
    ["POST", "/v1/intents/held/advance", { ...underFence, step: "price" }, 409, "intents.step_out_of_order"],
    ["POST", "/v1/intents/held/advance", { ...underFence, step: "input", run: 2 }, 409, "intents.run_ended"],
    ["POST", "/v1/intents/held/advance", { ...underFence, step: "input", fence: "1.1" }, 412, "fence_stale"],
    ["POST", "/v1/intents/held/advance", { ...underFence, step: "input", note: "x".repeat(501) }, 422, "input_invalid"],
    ["POST", "/v1/intents/held/advance", { ...underFence, step: "input", error: longError }, 422, "input_invalid"],
    [
      "POST",
      "/v1/intents/held/advance",
      { ...underFence, step: "input", outcome: "lost" },
      422,
      "intents.status_unknown",
    ],
  ];
  for (const [method, path, body, status, code] of rows) {
    const answer = await server.request(method, path, defined({ body }));
    assert.deepEqual([answer.status, answer.body["code"]], [status, code], `${method} ${path} ${answer.text}`);
    assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/u);
    assert.ok(typeof answer.body["next"] === "string");
  }
  // Only conflicts of versions and the refused configuration are recorded.
  assert.equal(await server.position(), position + 2);
});

test("a change of a status and a correction may have If-Match, and succeed without it [B3]", async () => {
  await using server = await httpServer();
  const post = postsTo(server);
  await post("/v1/intents", { id: "1", payload: {} });
  const correction = { diff: { price: 7 }, source: "pricing", reason: "the list changed" };
  const steps: readonly (readonly [path: string, body: object])[] = [
    ["/v1/intents/1/transition", { to: "processed" }],
    ["/v1/intents/1/reevaluate", correction],
  ];
  for (const [path, body] of steps) {
    const tag = (await server.request("GET", "/v1/intents/1")).headers.get("etag") ?? "";
    for (const old of ['"1.9"', '"of-another-server"']) {
      const { status, body: problem } = await post(path, body, { "if-match": old });
      assert.deepEqual([status, problem["code"]], [412, "intents.concurrency_mismatch"], path);
    }
    assert.equal(
      (await post(path, body, { "if-match": "1.1" })).body["code"],
      "intents.concurrency_etag_invalid",
      path,
    );
    assert.equal((await post(path, { ...body, expected_version: 1 })).body["code"], "input_invalid", path);
    assert.equal((await post(path, body, { "if-match": tag })).status, 200, path);
  }
  assert.equal((await post("/v1/intents/1/transition", { to: "completed" })).status, 200);
});

test("a repeated key of each write gives the first answer and changes nothing [B4 M4]", async () => {
  await using server = await httpServer();
  const post = postsTo(server);
  await post("/v1/intents", { id: "1", payload: {}, status: "processed" });
  await post("/v1/intents", { id: "2", payload: {} });
  const fence = await fenceOf(post, "1");
  const because = { source: "pricing", reason: "the list changed" };
  const writes: readonly (readonly [path: string, body: object])[] = [
    ["/v1/intents", { id: "3", payload: {} }],
    ["/v1/intents/2/transition", { to: "processed" }],
    ["/v1/intents/2/transition", { to: "received" }],
    ["/v1/intents/2/reevaluate", { diff: { price: 7 }, ...because }],
    ["/v1/intents/update-many", { ids: ["2", "3"], changes: { n: 1 } }],
    ["/v1/intents/1/run", { fence, ...plan }],
    ["/v1/intents/1/advance", { fence, run: 1, step: "input", outcome: "retry" }],
    ["/v1/intents/1/advance", { fence, run: 1, step: "input", outcome: "done" }],
    ["/v1/intents/1/stop", { reason: "enough" }],
  ];
  for (const [index, [path, body]] of writes.entries()) {
    const headers = { "idempotency-key": `k${index}` };
    const first = await post(path, body, headers);
    const position = await server.position();
    const again = await post(path, body, headers);
    assert.deepEqual([again.status, again.body], [first.status, { ...first.body, replayed: true }], path);
    assert.deepEqual([again.headers.get("idempotent-replayed"), await server.position()], ["true", position], path);
  }
});

test("a token for one intent sees its events, records and steps, and nothing of another intent [B11 X14]", async (t) => {
  const data = join(await folderFor(t), ".holdfast");
  const { url } = await serverFor(t, data);
  const secret = (await readFile(join(data, "operator-token"), "utf8")).trim();
  await using operator = await connect(url, { token: secret });
  const allow = [{ verbs: ["read", "write", "lock", "register"], under: "intent/42" }];
  const token = (await operator.run("create-token", { principal: "ann", allow })) as { readonly secret: string };
  await using ann = await connect(url, { token: token.secret });
  const after = await ann.cursor();
  const work = { name: "price", execute: () => ({ changes: { price: 7 } }) };
  for (const id of ["43", "42"]) {
    await operator.intents.create({ id, payload: { secret: `sesame ${id}` } });
    await (await operator.intents.bridges([work], { name: "orders" })).execute(id);
  }
  assert.equal((await ann.intents.get("42")).run?.steps["price"]?.state, "done");
  await assert.rejects(ann.intents.get("43"), { code: "not_allowed" });
  await assert.rejects(ann.intents.transition("43", "failed"), { code: "not_allowed" });
  await assert.rejects(ann.intents.updateMany(["42", "43"], { changes: { a: 1 } }), { code: "not_allowed" });
  await assert.rejects(ann.intents.list(), { code: "not_allowed" });
  const seen: string[] = [];
  for await (const { subject, name } of ann.watch({ after })) {
    seen.push(subject);
    if (name === "evt.intent.run_ended") break;
  }
  assert.ok(seen.length > 4);
  assert.deepEqual(
    seen.filter((subject) => !/^(lock\/)?intent\/42\b/u.test(subject)),
    [],
  );
  const history = JSON.stringify(await ann.entities.history("intent", "42"));
  assert.match(history, /evt\.intent\.bridge_completed/u);
  assert.doesNotMatch(history, /sesame 43|intent\/43/u);
  await assert.rejects(ann.entities.history("intent", "43"), { code: "not_allowed" });
});

test("a deadlock over plain HTTP is refused at once with its cycle, and its locks let the other caller finish [B6]", async () => {
  await using server = await httpServer();
  const post = postsTo(server);
  for (const id of ["a", "b"]) await post("/v1/intents", { id, payload: {} });
  const [ann, bob] = [await fenceOf(post, "a", "ann"), await fenceOf(post, "b", "bob")];
  const ask = (id: string, owner: string): Promise<HttpAnswer> =>
    post("/v1/locks/acquire", { paths: [`intent/${id}`], owner_id: owner, ttl_seconds: 15, wait: true });
  const queued = await ask("b", "ann");
  assert.deepEqual([queued.status, queued.body["granted"]], [202, false], queued.text);
  const { status, body } = await ask("a", "bob");
  assert.deepEqual([status, body["code"], body["retry"]], [409, "deadlock", "new-key-after-read"]);
  const owners = (body["cycle"] as readonly { readonly owner_id: string }[]).map(({ owner_id: owner }) => owner);
  assert.deepEqual(owners.toSorted(), ["ann", "bob"]);
  await post("/v1/locks/release", { fence: bob, owner_id: "bob" });
  const held = await server.request("GET", "/v1/locks/status?path=intent/b");
  assert.match(held.text, /"owner_id":"ann"/u);
  await post("/v1/locks/release", { paths: ["intent/a"], fence: ann, owner_id: "ann" });
});

test("ten callers that update five intents in any order over plain HTTP never meet a deadlock [B6]", async () => {
  await using server = await httpServer();
  const post = postsTo(server);
  const ids = ["a", "b", "c", "d", "e"];
  for (const id of ids) await post("/v1/intents", { id, payload: {} });
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => {
      const shuffled = ids.map((_id, index) => ids[(index * 2 + n) % ids.length]);
      return post("/v1/intents/update-many", { ids: shuffled, changes: { [`by_${n}`]: true } });
    }),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  for (const id of ids) {
    const { body } = await server.request("GET", `/v1/intents/${id}`);
    assert.equal(Object.keys(body["payload"] as object).length, 10);
  }
});
