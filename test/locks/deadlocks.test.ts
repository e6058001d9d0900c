import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Decider, eventLines } from "./decider.ts";

/** The edges of the cycle in a reply or an event: each owner with the owner it waits for. */
function cycleOf(data: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const cycle = (data?.["cycle"] ?? []) as readonly { owner_id: string; blocked_by: string }[];
  return cycle.map(({ owner_id: owner, blocked_by: other }) => `${owner} waits for ${other}`);
}

/** Ann holds a and waits for a and b together. Bob waits for a and for a path that Cid holds. */
function covered(): Decider {
  const decider = new Decider();
  decider.acquire("ann", "a");
  decider.acquire("kim", "b");
  decider.acquire("cid", "p");
  decider.wait("bob", "a p");
  decider.wait("ann", "a b");
  return decider;
}

/** Ann also holds p, which Bob waits for. Once Ann releases a, Ann waits for Bob and Bob waits for Ann. */
function releasable(): Decider {
  const decider = new Decider();
  decider.acquire("ann", "a");
  decider.acquire("ann", "p");
  decider.acquire("kim", "b");
  decider.wait("bob", "a p");
  assert.equal(decider.wait("ann", "a b").data["granted"], false);
  return decider;
}

const cycle = ["ann waits for bob", "bob waits for ann"];

describe("deadlocks", () => {
  test("a deadlock is detected through a waiter that holds part of its request and has no ticket ahead of it [X6]", () => {
    const decider = covered();
    const { code, data } = decider.wait("cid", "a");
    assert.deepEqual([code, cycleOf(data)], ["deadlock", ["cid waits for bob", "bob waits for cid"]]);
  });

  test("a deadlock is detected when an upgrade would close the cycle without waiting itself [X6 W1]", () => {
    const decider = new Decider();
    decider.acquire("bob", "e:upgradeable");
    decider.acquire("kim", "c");
    decider.acquire("dee", "q");
    decider.wait("dee", "c e:read");
    decider.wait("bob", "q");
    const { code, data, events } = decider.decide("upgrade-lock", { path: "e", owner_id: "bob" });
    assert.deepEqual([code, cycleOf(data)], ["deadlock", ["bob waits for dee", "dee waits for bob"]]);
    assert.deepEqual(eventLines(events), ["lock.deadlock"]);
    decider.release("kim", "c");
    assert.deepEqual(decider.holders(), ["bob: e upgradeable", "dee: c write, e read", "dee: q write"]);
    decider.decide("cancel-ticket", { ticket: "1.5", owner_id: "bob" });
    decider.release("dee", "c e");
    assert.equal(decider.decide("upgrade-lock", { path: "e", owner_id: "bob" }).data["granted"], true);
  });

  const losses: readonly {
    readonly how: string;
    readonly lose: (decider: Decider) => Readonly<ReturnType<Decider["decide"]>>;
  }[] = [
    { how: "is released", lose: (decider) => decider.release("ann", "a") },
    {
      how: "is transferred",
      lose: (decider) => decider.decide("transfer-lock", { path: "a", owner_id: "ann", to: "eve" }),
    },
    {
      how: "is downgraded",
      lose: (decider) => decider.decide("downgrade-lock", { path: "a", owner_id: "ann", mode: "read" }),
    },
    { how: "is force-released", lose: (decider) => decider.decide("force-release", { fence: "1.1", reason: "test" }) },
  ];
  for (const { how, lose } of losses) {
    test(`a ticket is cancelled with a deadlock event when its owner's lock ${how} and that closes a cycle [X6 X5]`, () => {
      const decider = releasable();
      const { code, events } = lose(decider);
      assert.equal(code, "done");
      assert.deepEqual(cycleOf(events.find(({ type }) => type === "lock.deadlock")?.data), cycle);
      assert.deepEqual(eventLines(events).slice(-2), ["lock.deadlock", "lock.cancelled ann deadlock"]);
      assert.deepEqual(decider.waiters(), ["bob: a write, p write"]);
    });
  }

  test("a ticket is cancelled when the expiry of its owner's lock closes a cycle [X6 M9]", () => {
    const decider = new Decider();
    decider.acquire("ann", "a", { ttlMs: 10_000 });
    decider.acquire("ann", "p");
    decider.acquire("kim", "b");
    decider.wait("bob", "a p");
    decider.wait("ann", "a b");
    assert.deepEqual(eventLines(decider.pass(10_000)), [
      "lock.expired ann lease",
      "lock.waiting",
      "lock.deadlock",
      "lock.cancelled ann deadlock",
    ]);
  });

  test("a ticket stays queued if its owner releases all paths that the other owners wait for at once [X6]", () => {
    const decider = releasable();
    assert.deepEqual(
      eventLines(decider.release("ann", "a p").events).filter((line) => line.includes("deadlock")),
      [],
    );
    assert.deepEqual(decider.holders(), ["bob: a write, p write", "kim: b write"]);
    assert.deepEqual(decider.waiters(), ["ann: a write, b write"]);
    decider.release("kim", "b");
    decider.release("bob", "a p");
    assert.deepEqual(decider.holders(), ["ann: a write, b write"]);
  });

  test("a ticket that is cancelled for a deadlock leaves its owner's other tickets and all other waiters unchanged [X6]", () => {
    const decider = releasable();
    decider.wait("ann", "b");
    decider.wait("eve", "b");
    decider.release("ann", "a");
    assert.deepEqual(decider.waiters(), ["ann: b write", "bob: a write, p write", "eve: b write"]);
  });
});
