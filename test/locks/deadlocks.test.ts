import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Decider, told } from "./decider.ts";

/** Who waits for whom in the cycle that an answer or an event tells. */
function cycleOf(data: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const cycle = (data?.["cycle"] ?? []) as readonly { owner_id: string; blocked_by: string }[];
  return cycle.map(({ owner_id: owner, blocked_by: other }) => `${owner} waits for ${other}`);
}

/** Ann holds a, and waits for a and b together; bob waits for a and for what cid holds. */
function covered(): Decider {
  const decider = new Decider();
  decider.acquire("ann", "a");
  decider.acquire("kim", "b");
  decider.acquire("cid", "p");
  decider.wait("bob", "a p");
  decider.wait("ann", "a b");
  return decider;
}

/** Ann holds p too, which bob waits for: once a is given back, ann stands behind bob and bob waits for ann. */
function releasable(): Decider {
  const decider = new Decider();
  decider.acquire("ann", "a");
  decider.acquire("ann", "p");
  decider.acquire("kim", "b");
  decider.wait("bob", "a p");
  assert.equal(decider.wait("ann", "a b").data["granted"], false);
  return decider;
}

const tied = ["ann waits for bob", "bob waits for ann"];

describe("a deadlock", () => {
  test("is found behind somebody who waits for more than it holds, and stands behind nobody itself [X6]", () => {
    const decider = covered();
    const { code, data } = decider.wait("cid", "a");
    assert.deepEqual([code, cycleOf(data)], ["deadlock", ["cid waits for bob", "bob waits for cid"]]);
  });

  test("is found when an upgrade would close it that need not wait itself [X6 W1]", () => {
    const decider = new Decider();
    decider.acquire("bob", "e:upgradeable");
    decider.acquire("kim", "c");
    decider.acquire("dee", "q");
    decider.wait("dee", "c e:read");
    decider.wait("bob", "q");
    const { code, data, events } = decider.ask("upgrade-lock", { path: "e", owner_id: "bob" });
    assert.deepEqual([code, cycleOf(data)], ["deadlock", ["bob waits for dee", "dee waits for bob"]]);
    assert.deepEqual(told(events), ["lock.deadlock"]);
    decider.release("kim", "c");
    assert.deepEqual(decider.holders(), ["bob: e upgradeable", "dee: c write, e read", "dee: q write"]);
    decider.ask("cancel-ticket", { ticket: "1.5", owner_id: "bob" });
    decider.release("dee", "c e");
    assert.equal(decider.ask("upgrade-lock", { path: "e", owner_id: "bob" }).data["granted"], true);
  });

  const losses: readonly {
    readonly how: string;
    readonly lose: (decider: Decider) => Readonly<ReturnType<Decider["ask"]>>;
  }[] = [
    { how: "is released", lose: (decider) => decider.release("ann", "a") },
    { how: "is handed on", lose: (decider) => decider.ask("transfer-lock", { path: "a", owner_id: "ann", to: "eve" }) },
    {
      how: "becomes weaker",
      lose: (decider) => decider.ask("downgrade-lock", { path: "a", owner_id: "ann", mode: "read" }),
    },
    { how: "is forced", lose: (decider) => decider.ask("force-release", { fence: "1.1", reason: "test" }) },
  ];
  for (const { how, lose } of losses) {
    test(`that arises when what its owner need not wait for ${how} takes its ticket out of the line, and is told [X6 X5]`, () => {
      const decider = releasable();
      const { code, events } = lose(decider);
      assert.equal(code, "done");
      assert.deepEqual(cycleOf(events.find(({ type }) => type === "lock.deadlock")?.data), tied);
      assert.deepEqual(told(events).slice(-2), ["lock.deadlock", "lock.cancelled ann deadlock"]);
      assert.deepEqual(decider.waiters(), ["bob: a write, p write"]);
    });
  }

  test("that arises by an expiry takes the ticket out of the line too [X6 M9]", () => {
    const decider = new Decider();
    decider.acquire("ann", "a", { ttlSeconds: 10 });
    decider.acquire("ann", "p");
    decider.acquire("kim", "b");
    decider.wait("bob", "a p");
    decider.wait("ann", "a b");
    assert.deepEqual(told(decider.pass(10_000)), [
      "lock.expired ann lease",
      "lock.waiting",
      "lock.deadlock",
      "lock.cancelled ann deadlock",
    ]);
  });

  test("is none if all that the others wait for is given back at once: the ticket stays [X6]", () => {
    const decider = releasable();
    assert.deepEqual(
      told(decider.release("ann", "a p").events).filter((one) => one.includes("deadlock")),
      [],
    );
    assert.deepEqual(decider.holders(), ["bob: a write, p write", "kim: b write"]);
    assert.deepEqual(decider.waiters(), ["ann: a write, b write"]);
    decider.release("kim", "b");
    decider.release("bob", "a p");
    assert.deepEqual(decider.holders(), ["ann: a write, b write"]);
  });

  test("leaves the other tickets of its owner, and those who wait elsewhere, as they are [X6]", () => {
    const decider = releasable();
    decider.wait("ann", "b");
    decider.wait("eve", "b");
    decider.release("ann", "a");
    assert.deepEqual(decider.waiters(), ["ann: b write", "bob: a write, p write", "eve: b write"]);
  });
});
