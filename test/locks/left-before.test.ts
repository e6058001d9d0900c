import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { JournalError } from "../../server/src/journal/journal.ts";
import { checkOf, lockOperations, lockViews } from "@holdfast/sdk/contract";
import type { LeftBefore } from "holdfast";
import { granted, lockNode, queued } from "./lock-node.ts";
import type { LockNode } from "./lock-node.ts";
import { rawLocks } from "./raw-acquire.ts";

const ttl = { ttlMs: 3_600_000 };
const wait = { ...ttl, wait: true, ticketMs: 600_000 };
const operations = { ...lockOperations, ...lockViews };

/** The reply to a call. It must match the contract. */
async function answer(node: LockNode, name: keyof typeof operations, input: object, key?: string) {
  const { outcome } = await node.client.execute(name, input, defined({ key }));
  assert.equal(outcome.kind, "done", JSON.stringify(outcome));
  assert.equal(checkOf(operations[name].output)(outcome.data as never), undefined, JSON.stringify(outcome.data));
  return outcome.data as Record<string, unknown> & { left_before: readonly LeftBefore[] };
}

/** The owners that left the path, each with the way it left. */
function left(data: { readonly left_before: readonly LeftBefore[] }): string {
  return data.left_before.map(({ path, how, by, note }) => `${path} ${how} by ${by}: ${note ?? ""}`).join();
}

describe("previous holders", () => {
  test("a grant reports how the previous holder left the lock in every reply: at once, late, repeated and after its end", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const acquire = { paths: ["p"], ttl_seconds: 60, owner_id: "a" };
    assert.equal(left(await answer(node, "acquire-lock", acquire, "first")), "");
    const waiting = { paths: ["p"], ttl_seconds: 60, wait: true, owner_id: "b" };
    await answer(node, "acquire-lock", waiting, "second");
    const { ticket } = queued(await locks.acquire("p", { ...wait, ownerId: "c" }));
    await answer(node, "get-ticket", { ticket });
    for (let more = 0; more < 30; more += 1) await locks.acquire("p", { ...wait, ownerId: `d${String(more)}` });
    await locks.release({ paths: ["p"] }, { ownerId: "a", note: "half done" });
    const expected = "p released by a: half done";
    const late = await answer(node, "acquire-lock", waiting, "second");
    assert.deepEqual([late["granted"], late["still_held"], left(late)], [true, true, expected]);
    const accepted = await answer(node, "accept-lock", { ticket: late["ticket"], owner_id: "b" });
    assert.equal(left(accepted), expected);
    assert.equal(left(await answer(node, "cancel-ticket", { ticket: late["ticket"], owner_id: "b" })), expected);
    assert.equal(left(await answer(node, "get-ticket", { ticket: late["ticket"] })), expected);
    assert.equal(left(await answer(node, "acquire-lock", { ...waiting, wait: false }, "held already")), expected);
    await locks.release({ paths: ["p"] }, { ownerId: "b" });
    assert.equal(left(await answer(node, "get-ticket", { ticket })), "p released by b: ");
    const gone = await answer(node, "acquire-lock", { ...waiting, wait: false }, "held already");
    assert.deepEqual([gone["still_held"], left(gone)], [false, expected]);
    const lost = await answer(node, "acquire-lock", waiting, "second");
    assert.deepEqual([lost["granted"], lost["still_waiting"]], [false, false]);
    await node.stop();
  });

  test("an upgrade reports how the previous holder left the lock, and reports nothing if the lock had no holder", async () => {
    const node = await lockNode();
    const locks = rawLocks(node.client);
    const read = { ...ttl, mode: "read" } as const;
    const a = granted(await locks.acquire("p", { ...read, ownerId: "a" }));
    await locks.acquire("p", { ...read, ownerId: "b" });
    const upgrade = { fence: a.fence, wait: true, owner_id: "a" };
    const place = await answer(node, "upgrade-lock", upgrade, "up");
    await locks.release({ paths: ["p"] }, { ownerId: "b" });
    assert.equal(left(await answer(node, "upgrade-lock", upgrade, "up")), "p released by b: ");
    assert.equal(
      left(await answer(node, "accept-lock", { ticket: place["ticket"], owner_id: "a" })),
      "p released by b: ",
    );
    const q = granted(await locks.acquire("q", { ...read, ownerId: "a" }));
    assert.equal(left(await answer(node, "upgrade-lock", { fence: q.fence, owner_id: "a" }, "up q")), "");
    await locks.release({ paths: ["q"] }, { ownerId: "a" });
    assert.equal((await answer(node, "upgrade-lock", { fence: q.fence, owner_id: "a" }, "up q"))["still_held"], false);
    await node.stop();
  });

  test("a grant whose history cannot be read is answered as unknown, and the retry with its key gets it [M4]", async () => {
    const node = await lockNode();
    const { engine } = node;
    const entriesAbout = engine.entriesAbout.bind(engine);
    const recentEntriesAbout = engine.recentEntriesAbout.bind(engine);
    engine.recentEntriesAbout = () => undefined;
    engine.entriesAbout = () => Promise.reject(new JournalError("io", "the disk is gone", { certain: true }));
    const acquire = { paths: ["p"], ttl_seconds: 60, owner_id: "a" };
    const { outcome } = await node.client.execute("acquire-lock", acquire, { key: "first" });
    assert.equal(outcome.kind === "refusal" ? outcome.code : outcome.kind, "outcome_unknown");
    engine.entriesAbout = entriesAbout;
    engine.recentEntriesAbout = recentEntriesAbout;
    const again = await answer(node, "acquire-lock", acquire, "first");
    assert.deepEqual([again["granted"], again["still_held"]], [true, true]);
    await node.stop();
  });
});
