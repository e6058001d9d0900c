/** Evidence, seen by callers: only the journal shows it, and no caller can send it. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "holdfast";
import type { CallOptions, WatchedEvent } from "holdfast";
import { refusalOf } from "../api/refused-with.ts";
import { folderFor, serverFor } from "../socket/with-server.ts";
import { checkedNode } from "./checked-node.ts";

const order = (price: number) => ({ price, limit: "a" });
const check = "prices/1";
const forged = { check, base: 0, reads: { "limit/a": 1 }, ok: true, errors: [] };
const shows = (value: unknown): boolean => JSON.stringify(value).includes(check);

test("evidence is shown by list-journal, and not by replies, the audit trail, histories, reads or watches", async () => {
  await using node = await checkedNode();
  const { client } = node;
  await client.entities.create("limit", "a", { max: 100 });
  const reply = await client.execute("create-entity", { type: "order", id: "1", value: order(90) }, { key: "k" });
  const replayed = await client.execute("create-entity", { type: "order", id: "1", value: order(90) }, { key: "k" });
  assert.deepEqual([reply.outcome.kind, replayed.replayed], ["done", true]);
  await client.entities.create("end", "1", {});
  const watched: unknown[] = [];
  for await (const event of client.watch({ after: "1.0" }) as AsyncIterable<WatchedEvent>) {
    if (event.subject === "end/1") break;
    watched.push(event);
  }
  assert.ok(shows(await client.journal.list({ subject: "order/1" })));
  const elsewhere = {
    replies: [reply, replayed],
    audit: await client.audit.list({}),
    history: await client.entities.history("order", "1"),
    read: await client.entities.get("order", "1"),
    watched,
  };
  assert.equal(watched.length > 1, true);
  assert.deepEqual(
    Object.entries(elsewhere).flatMap(([name, value]) => (shows(value) ? [name] : [])),
    [],
  );
});

test("the erasure of a payload erases its evidence", async () => {
  await using node = await checkedNode();
  const { client } = node;
  await client.entities.create("limit", "a", { max: 100 });
  const { position } = await client.execute("create-entity", { type: "order", id: "1", value: order(90) });
  await client.entities.replace("order", "1", order(91));
  await client.run("erase-payload", { position, reason: "asked for" });
  const { items } = await client.journal.list({ subject: "order/1" });
  assert.deepEqual(
    items.map((item) => [item.position === position, shows(item)]),
    [
      [true, false],
      [false, true],
    ],
  );
});

test("evidence that a caller sends is never used, in the options of a call or in its input", async () => {
  await using node = await checkedNode();
  const { client } = node;
  await client.entities.create("limit", "a", { max: 100 });
  const input = { type: "order", id: "1", value: order(500) };
  const options = { evidence: forged } as CallOptions;
  const sent = [
    await client.execute("create-entity", input, options),
    await client.execute("create-entity", { ...input, evidence: forged }),
  ];
  const codes = sent.map(({ outcome }) => (outcome.kind === "refusal" ? outcome.code : undefined));
  assert.deepEqual(codes, ["order.check_failed", "input_invalid"]);
});

test("evidence in an HTTP command or in the body of a route is refused or ignored, and never recorded", async (t) => {
  const data = join(await folderFor(t), ".holdfast");
  const server = await serverFor(t, data);
  const post = (path: string, body: unknown, method = "POST") =>
    fetch(new URL(path, server.url), {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const input = { type: "note", id: "1", value: 1 };
  await post("/v1/commands", { operation: "create-entity", input, evidence: forged });
  await post("/v1/commands", { operation: "create-entity", input: { ...input, id: "2", evidence: forged } });
  await post("/v1/agents/register", { name: "ann", evidence: forged });
  await post("/v1/commands", { operation: "create-entity", input: { ...input, id: "3" } });
  await server.close();
  await using client = await open(data);
  const { items } = await client.journal.list({});
  const ids = items.flatMap(({ input }) => (input as { readonly id?: string }).id ?? []);
  assert.ok(ids.includes("3"), "the requests reached the server");
  assert.ok(!shows(items));
});

test(
  "the thread of checks has a lower priority than the server, and the threads of the server keep theirs",
  { skip: process.platform === "linux" ? false : "only Linux has a priority per thread" },
  async () => {
    /** The nice value of each thread of this process. A higher one is a lower priority. */
    const priorities = (): readonly number[] =>
      readdirSync("/proc/self/task").map((task) => {
        const stat = readFileSync(`/proc/self/task/${task}/stat`, "utf8");
        // The name of a thread may have spaces. The fields are counted after it.
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
      });
    const own = Math.min(...priorities());
    assert.deepEqual(new Set(priorities()), new Set([own]));
    await using node = await checkedNode("thread");
    await node.client.entities.create("limit", "a", { max: 100 });
    await node.client.entities.create("order", "1", order(90));
    const found = priorities();
    // Node starts helper threads of the thread, which inherit its priority if they start later.
    assert.ok(found.includes(Math.min(own + 5, 19)), String(found));
    assert.ok(found.filter((each) => each === own).length >= 2, String(found));
  },
);

test("a check that is refused as overloaded says when to send it again", async () => {
  await using node = await checkedNode();
  await node.client.entities.create("limit", "a", { max: 100 });
  node.hold.begin();
  const { entities } = node.client;
  const all = Array.from({ length: 1_001 }, (_, index) => entities.create("order", `n${String(index)}`, order(1)));
  const { code, data } = await refusalOf(all.pop() ?? Promise.resolve());
  node.hold.end();
  await Promise.all(all);
  assert.deepEqual([code, data["retryAfterMs"]], ["overloaded", 1_000]);
});
