import assert from "node:assert/strict";
import { describe, test } from "node:test";
import Type from "typebox";
import { machineOf } from "../../server/src/assembly/open.ts";
import { refuse } from "../../server/src/features/entities/kind-refusal.ts";
import { defineKind } from "../../server/src/features/entities/kind.ts";
import { blockersAt } from "../../server/src/features/locks/for-features/blockers-at.ts";
import { holdsLock } from "../../server/src/features/locks/for-features/holds-lock.ts";
import type { LockNeed } from "../../server/src/features/locks/for-features/holds-lock.ts";
import { Decider } from "./decider.ts";

const page = defineKind({
  type: "page",
  value: Type.Unknown(),
  needsLocks: true,
  rule: (_next, _previous, context) => (context.holdsLock("page/1") ? undefined : refuse("lock_missing")),
});

/** The context of a read by an agent. */
const reader = (decider: Decider, agent?: string, more: { principal?: string; grace?: boolean } = {}) => ({
  ...{ state: decider.machine.durable, time: decider.time, grace: false, principal: "p" },
  ...{ agent, ...more },
});

const need = (text: string): LockNeed => {
  const [mode, scope] = text.split(" ") as ["read" | "write", "self" | "tree"];
  return { mode, scope };
};

describe("needs of locks", () => {
  test("a need is met by the last of 150 readers of a path [G7 M10]", () => {
    const decider = new Decider();
    for (let index = 0; index < 150; index += 1) decider.acquire(`reader ${index}`, "doc/1:read");
    for (const agent of ["reader 0", "reader 149"])
      assert.ok(holdsLock(reader(decider, agent), "doc/1", need("read self")), agent);
    assert.ok(!holdsLock(reader(decider, "stranger"), "doc/1", need("read self")));
  });

  test("a kind finds the write lock of an agent that holds 150 read locks above the path [G7 M10]", () => {
    const decider = new Decider(machineOf([page]));
    const agent = decider.register();
    const acquire = (paths: readonly string[], mode: string) =>
      decider.decide("acquire-lock", { paths, mode, ttl_seconds: 600 }, "p", agent).code;
    for (let index = 0; index < 150; index += 1) assert.equal(acquire(["page", `other/${index}`], "read"), "done");
    const write = () => decider.decide("create-entity", { type: "page", id: "1", value: {} }, "p", agent).code;
    assert.equal(write(), "page.lock_missing");
    assert.equal(acquire(["page/1"], "write"), "done");
    assert.equal(write(), "done");
  });

  test("a need of a tree is met only by a tree at the path or above it, and a stronger mode meets a weaker need [W12 X2]", () => {
    const decider = new Decider();
    const lock = (owner: string, path: string, mode: string, scope: string) =>
      decider.decide("acquire-lock", { paths: [{ path, mode, scope }], owner_id: owner, ttl_seconds: 600 });
    lock("self", "a/self", "write", "self");
    lock("tree", "a/tree", "write", "tree");
    lock("reads", "a/read", "read", "tree");
    const fences: Readonly<Record<string, string>> = { self: "1.1", tree: "1.2", reads: "1.3" };
    const met = (owner: string, path: string): readonly string[] => {
      const needs = ["read self", "read tree", "write self", "write tree"];
      const isMet = (text: string, fence?: string): boolean =>
        holdsLock(reader(decider, owner), path, { ...need(text), fence });
      const byAgent = needs.filter((text) => isMet(text));
      const byFence = needs.filter((text) => isMet(text, fences[owner]));
      assert.deepEqual(byFence, byAgent, "the fence meets the same needs");
      return byAgent;
    };
    assert.deepEqual(met("self", "a/self"), ["read self", "write self"]);
    assert.deepEqual(met("self", "a/self/below"), []);
    assert.deepEqual(met("tree", "a/tree"), ["read self", "read tree", "write self", "write tree"]);
    assert.deepEqual(met("tree", "a/tree/below/it"), ["read self", "read tree", "write self", "write tree"]);
    assert.deepEqual(met("tree", "a"), []);
    assert.deepEqual(met("tree", "a/tree-2"), []);
    assert.deepEqual(met("reads", "a/read/1"), ["read self", "read tree"]);
  });

  test("a fence meets the same needs for its principal alone, while its grant is live or in the grace [X3 M10]", () => {
    const decider = new Decider();
    decider.acquire("ann", "a");
    decider.acquire("bob", "b:read");
    const meets = (text: string, fence: string, more: { principal?: string; grace?: boolean } = {}) =>
      holdsLock(reader(decider, undefined, more), fence === "1.1" ? "a/x" : "b/x", { ...need(text), fence });
    assert.ok(meets("write tree", "1.1"));
    assert.ok(meets("read self", "1.2"));
    assert.ok(!meets("write self", "1.2"));
    assert.ok(!meets("write self", "1.1", { principal: "another" }));
    assert.ok(!holdsLock(reader(decider, "ann"), "b/x", { ...need("read self"), fence: "1.1" }), "another path");
    decider.time += 600_000;
    assert.ok(!meets("write self", "1.1"));
    assert.ok(!holdsLock(reader(decider, "ann"), "a", need("read self")));
    assert.ok(meets("write self", "1.1", { grace: true }));
  });
});

describe("blockers at a path", () => {
  test("the blockers at a path are the foreign holders, and on request the tickets that would be ahead [G4]", () => {
    const decider = new Decider();
    decider.acquire("ann", "a:read");
    decider.wait("bob", "a");
    const at = (agent: string, count: "holders" | "queue", mode: "read" | "write") => {
      const denial = blockersAt(reader(decider, agent), "a/1", { count, mode });
      return denial === undefined ? "free" : [denial.current_owner, denial.holders_total, denial.place];
    };
    assert.deepEqual(at("cid", "holders", "write"), ["ann", 1, 1]);
    assert.deepEqual(at("cid", "queue", "write"), ["ann", 1, 2]);
    assert.deepEqual(at("cid", "holders", "read"), "free");
    assert.deepEqual(at("cid", "queue", "read"), [null, 0, 2]);
    assert.deepEqual(at("ann", "holders", "write"), "free");
    assert.deepEqual(at("ann", "queue", "read"), "free", "an owner does not wait for what it holds");
    assert.deepEqual(at("bob", "queue", "read"), "free", "its own ticket is not ahead of it");
  });

  test("a presented fence of the caller does not block it, and the fence of another principal does [X3]", () => {
    const decider = new Decider();
    decider.acquire("ann", "a");
    const at = (principal: string) =>
      blockersAt({ ...reader(decider, "worker", { principal }), fence: "1.1" }, "a", { count: "queue" });
    assert.equal(at("p"), undefined);
    assert.equal(at("another")?.current_owner, "ann");
  });

  test("a foreign holder blocks behind a thousand locks of the owner whose fence the caller presents [X3 W1]", () => {
    const decider = new Decider();
    const locks = { ttl_seconds: 600, mode: "write", scope: "self" };
    const paths = Array.from({ length: 1_000 }, (_, index) => `p/${String(index).padStart(4, "0")}`);
    const fence = decider.decide("acquire-lock", { ...locks, paths, owner_id: "job" }).data["fence"] as string;
    const at = () => blockersAt(reader(decider, "worker"), "p", { scope: "tree", count: "holders", fence });
    assert.equal(at(), undefined);
    decider.decide("acquire-lock", { ...locks, paths: ["p/last"], owner_id: "foreign" });
    assert.equal(at()?.current_owner, "foreign");
  });

  test("a read finds a live holder behind a thousand overdue ones [M9 W1]", () => {
    const decider = new Decider();
    const lock = { ttl_seconds: 600, mode: "write", scope: "self" };
    const paths = Array.from({ length: 1_000 }, (_, index) => `p/${String(index).padStart(4, "0")}`);
    decider.decide("acquire-lock", { ...lock, paths, ttl_seconds: 1, owner_id: "gone" });
    decider.decide("acquire-lock", { ...lock, paths: ["p/last"], owner_id: "live" });
    const late = { ...reader(decider, "worker"), time: decider.time + 2_000 };
    assert.equal(blockersAt(late, "p", { scope: "tree", count: "holders" })?.current_owner, "live");
  });

  test("a read ignores overdue holders and tickets, except in the grace [M9]", () => {
    const decider = new Decider();
    decider.acquire("ann", "a", { ttlMs: 10_000 });
    decider.wait("bob", "a");
    decider.time += 600_000;
    const at = (grace: boolean) => blockersAt(reader(decider, "cid", { grace }), "a", { count: "queue" });
    assert.equal(at(false), undefined);
    assert.deepEqual([at(true)?.current_owner, at(true)?.place], ["ann", 2]);
  });
});
