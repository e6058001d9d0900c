import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import type { CallReply } from "holdfast";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { canonicalValue } from "../../sdk/src/json/canonical-value.ts";
import { inputLimits } from "../../sdk/src/json/input-limits.ts";
import { doorCallsOf } from "../../server/src/assembly/open.ts";
import { findEntity } from "../../server/src/features/entities/entity-table.ts";
import type { Journal } from "../../server/src/journal/journal.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { callOnce } from "../../server/src/operations/call.ts";
import { allocatedBytes } from "./allocated-bytes.ts";
import { startNode } from "./start-node.ts";
import type { TestNode } from "./start-node.ts";

/** The number of promises that are made while the work runs. */
async function promisesOf(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === "PROMISE") count += 1;
    },
  });
  hook.enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return count;
}

/** The promises that each further call adds. A batch makes a few of its own. */
async function promisesPerCall(run: (from: number, count: number) => Promise<unknown>): Promise<number> {
  const few = await promisesOf(() => run(0, 100));
  const many = await promisesOf(() => run(100, 300));
  return Math.max(0, Math.round((many - few) / 200));
}

/** Sends calls as a door does: one array, and a callback for each reply. */
function submitter({ services }: TestNode, name: string, inputOf: (number: number) => object) {
  const calls = doorCallsOf(services, {})({ principal: "local", caller: "door" });
  const record = services.operations.find(name);
  assert.ok(record !== undefined);
  return (from: number, count: number): Promise<void> =>
    new Promise((resolve, reject) => {
      let open = count;
      const answer = ({ outcome }: CallReply): void => {
        if (outcome.kind === "refusal") reject(new Error(outcome.code));
        open -= 1;
        if (open === 0) resolve();
      };
      calls.submit(
        Array.from({ length: count }, (_, index) => {
          const parsed = canonicalValue(inputOf(from + index), inputLimits);
          assert.ok(parsed.ok);
          const options = { inputBytes: parsed.bytes, events: false as const };
          return { record, input: parsed.value, options, answer, fail: reject };
        }),
      );
    });
}

/** A node whose journal answers questions about recent subjects without a promise, as SQLite does. */
function nodeWithHistoryInMemory(): Promise<TestNode> {
  const disk = createMemoryDisk();
  const memory = openMemoryJournal(disk);
  const findSubjectInMemory: Journal["findSubjectInMemory"] = (query) => memory.findSubjectInMemory?.(query);
  return startNode({ disk, prepare: (journal) => Object.assign(journal, { findSubjectInMemory }) });
}

/** Heap bytes that a call allocates, garbage included, once its code is compiled. */
async function bytesPerCall(run: (from: number, count: number) => Promise<unknown>, first = 0): Promise<number> {
  await run(first, 3_000);
  return (await allocatedBytes(() => run(first + 3_000, 1_000))) / 1_000;
}

/** Asserts that a command allocates at most `bytesMax`, and shows the measured bytes. */
function assertBytes(context: TestContext, name: string, bytes: number, bytesMax: number): void {
  context.diagnostic(`${name} allocates ${Math.round(bytes)} bytes`);
  assert.ok(bytes <= bytesMax, `${name} allocates ${Math.round(bytes)} bytes, at most ${bytesMax} are allowed`);
}

/** Sends one call as a door does, with an input that was parsed. Returns the input and the reply. */
async function sent({ services }: TestNode, name: string, given: object) {
  const calls = doorCallsOf(services, {})({ principal: "local", caller: "door" });
  const parsed = canonicalValue(given, inputLimits);
  const record = services.operations.find(name);
  assert.ok(parsed.ok && record !== undefined);
  const { value: input, bytes: inputBytes } = parsed;
  const reply = await callOnce(calls, { record, input, options: { inputBytes, events: false } });
  return { input: input as JsonObject, reply };
}

describe("the hot path", () => {
  const lock = (n: number) => ({ paths: [`hot/${n}`], owner_id: `owner-${n}`, ttl_seconds: 60 });
  const note = (n: number) => ({ type: "note", id: String(n), value: { n } });

  test("a write of an entity makes no promise between a door and its reply", async () => {
    const node = await startNode();
    assert.equal(await promisesPerCall(submitter(node, "create-entity", note)), 0);
    const patch = (n: number) => ({ type: "note", id: String(n), merge: { n: n + 1 } });
    assert.equal(await promisesPerCall(submitter(node, "patch-entity", patch)), 0);
    await node.client.close();
  });

  test("a patch whose hook is needed makes promises", async () => {
    const node = await startNode();
    await submitter(node, "create-entity", note)(0, 400);
    const guarded = (n: number) => ({
      type: "note",
      id: String(n),
      merge: { n: -1 },
      if_unchanged: [{ pointer: "/n", value: n }],
    });
    assert.ok((await promisesPerCall(submitter(node, "patch-entity", guarded))) > 0);
    await node.client.close();
  });

  test("a grant of a lock makes no promise between a door and its reply if the last use of the path is in memory", async () => {
    const node = await nodeWithHistoryInMemory();
    const { operations, locks } = node.client;
    const use = async (n: number): Promise<void> => {
      const held = await operations.acquireLock({ paths: [`hot/${n}`], ttlMs: 60_000, ownerId: `owner-${n}` });
      assert.ok(held.granted);
      await locks.release({ fence: held.fence }, { ownerId: `owner-${n}` });
    };
    await Promise.all(Array.from({ length: 400 }, (_, n) => use(n)));
    assert.equal(await promisesPerCall(submitter(node, "acquire-lock", lock)), 0);
    await node.client.close();
  });

  test("a write by a program in this process makes at most six promises", async () => {
    const { client } = await startNode();
    const write = (from: number, count: number) =>
      Promise.all(Array.from({ length: count }, (_, n) => client.entities.create("memo", String(from + n), { n })));
    const made = await promisesPerCall(write);
    assert.ok(made <= 6, `each write made ${String(made)} promises`);
    await client.close();
  });

  test("an input from a door is not copied: its entry, its event, the row and the reply share it", async () => {
    const node = await startNode();
    const { services } = node;
    const { input: created } = await sent(node, "create-entity", { type: "note", id: "1", value: { n: { deep: 1 } } });
    const { input, reply } = await sent(node, "patch-entity", { type: "note", id: "1", merge: { m: [2] } });
    const entry = services.engine.recentEntry(reply.position);
    assert.ok(entry?.input === input);
    assert.ok(entry.events[0]?.data["merge"] === input["merge"]);
    const row = services.engine.peek((state) => findEntity(state, { type: "note", id: "1" }));
    const value = row?.value as JsonObject;
    assert.ok(value["n"] === (created["value"] as JsonObject)["n"]);
    assert.ok(value["m"] === (input["merge"] as JsonObject)["m"]);
    assert.ok((reply.outcome.data as JsonObject)["value"] === value);
    await node.client.close();
  });

  test("a command allocates a bounded number of bytes between a door and its reply", async (context) => {
    const node = await nodeWithHistoryInMemory();
    const patch = (n: number) => ({ type: "note", id: String(n % 500), merge: { n } });
    await submitter(node, "create-entity", note)(0, 500);
    assertBytes(context, "a patch", await bytesPerCall(submitter(node, "patch-entity", patch), 1), 10_000);
    const acquire = submitter(node, "acquire-lock", (n) => lock(n % 500));
    const release = submitter(node, "release-lock", (n) => ({
      paths: [`hot/${n % 500}`],
      owner_id: `owner-${n % 500}`,
    }));
    const cycles = async (from: number, count: number): Promise<void> => {
      for (let start = from; start < from + count; start += 500) {
        await acquire(start, 500);
        await release(start, 500);
      }
    };
    assertBytes(context, "a lock cycle", await bytesPerCall(cycles), 28_000);
    await node.client.close();
  });
});
