import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { cycleText } from "@holdfast/sdk/contract";
import type { CycleLink } from "@holdfast/sdk/contract";
import { Decider, eventLines } from "./decider.ts";
import type { DecisionResult } from "./decider.ts";

/** Agents by name. A name with an arrow has a parent: `ann>kid` is a child that ann waits for, `ann-kid` another one. */
class Family extends Decider {
  readonly #ids = new Map<string, string>();

  id(name: string): string {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const [, parent, link] = /^(.*)([>-])[^>-]*$/u.exec(name) ?? [];
    const waits: JsonObject = link === ">" ? { parent_waits: true } : {};
    const id = this.register(parent === undefined ? { name } : { name, parent: this.id(parent), ...waits });
    this.#ids.set(name, id);
    return id;
  }

  by(name: string, operation: string, input: JsonObject): DecisionResult {
    return this.decide(operation, input, "p", this.id(name));
  }

  lock(name: string, paths: string, more: JsonObject = {}): string {
    const wanted = paths.split(" ").map((item) => {
      const [path = "", mode = "write"] = item.split(":");
      return { path, mode };
    });
    const { code, data } = this.by(name, "acquire-lock", { paths: wanted, ttl_seconds: 600, wait: true, ...more });
    if (code === "deadlock") return this.named(cycleText(data["cycle"] as unknown as readonly CycleLink[]));
    return code === "done" ? (data["granted"] === true ? "granted" : "queued") : code;
  }

  /** A text with the names of agents instead of their ids. */
  named(text: string): string {
    return [...this.#ids].reduce((named, [name, id]) => named.replaceAll(id, name), text);
  }
}

const twoCommands =
  "bob>kid waits for a, because ann holds a; ann waits for its child ann>kid; " +
  "ann>kid waits for b, because bob holds b; bob waits for its child bob>kid";

describe("parents that wait for their children", () => {
  test("a deadlock of two commands that each hold a lock and wait for a child that waits is refused and names both levels [X6]", () => {
    const family = new Family();
    family.lock("ann", "a");
    family.lock("bob", "b");
    assert.equal(family.lock("ann>kid", "b"), "queued");
    assert.equal(family.lock("bob>kid", "a"), twoCommands);
    assert.deepEqual(eventLines(family.entries.at(-1)?.events ?? []), ["lock.deadlock"]);
  });

  test("a deadlock through three levels and a set of paths is refused [X6 G3]", () => {
    const family = new Family();
    family.lock("ann", "a");
    family.lock("ann>kid", "k");
    family.lock("bob", "b c");
    assert.equal(family.lock("ann>kid>grandkid", "c z"), "queued");
    assert.match(
      family.lock("bob>kid", "y a"),
      /ann waits for its child ann>kid; ann>kid waits for its child ann>kid>grandkid/u,
    );
    assert.match(family.lock("bob", "k"), /ann>kid waits for its child/u);
  });

  test("a child that its parent waits for is refused the lock of its parent, at every level [X6]", () => {
    const family = new Family();
    family.lock("ann", "a");
    assert.equal(
      family.lock("ann>kid", "a"),
      "ann>kid waits for a, because ann holds a; ann waits for its child ann>kid",
    );
    assert.match(family.lock("ann>kid>grandkid", "a/1"), /^ann>kid>grandkid waits for a\/1, because ann holds a; /u);
    assert.equal(family.lock("ann>kid", "a", { wait: false }), "lock_denied");
  });

  test("a child whose parent does not wait for it closes no cycle [X6]", () => {
    const family = new Family();
    family.lock("ann", "a");
    family.lock("bob", "b");
    assert.equal(family.lock("ann-kid", "b"), "queued");
    assert.equal(family.lock("bob-kid", "a"), "queued");
    assert.equal(family.lock("ann-kid>grandkid", "a"), "queued", "the chain ends where a parent does not wait");
    assert.equal(family.by("ann", "release-lock", { paths: ["a"] }).code, "done");
  });

  test("an upgrade that would make a child of its owner wait for itself is refused [X6 W1]", () => {
    const family = new Family();
    family.lock("ann", "e:upgradeable");
    family.lock("kim", "c");
    family.lock("dee", "q");
    assert.equal(family.lock("dee", "c e:read"), "queued");
    assert.equal(family.lock("ann>kid", "q"), "queued");
    assert.equal(family.by("ann", "upgrade-lock", { path: "e" }).code, "deadlock");
    assert.equal(family.lock("bob", "e:read"), "granted");
    assert.equal(family.by("ann", "upgrade-lock", { path: "e", wait: true }).code, "deadlock");
  });

  test("a transfer to an owner whose child waits for the waiters of the lock is refused [X6]", () => {
    const family = new Family();
    family.lock("cid", "a");
    family.lock("bob", "b");
    assert.equal(family.lock("bob", "a"), "queued");
    assert.equal(family.lock("ann>kid", "b"), "queued");
    assert.equal(family.by("cid", "transfer-lock", { path: "a", to: family.id("ann") }).code, "deadlock");
    assert.equal(family.by("cid", "transfer-lock", { path: "a", to: family.id("dee") }).code, "done");
  });

  test("a ticket is cancelled when a release makes a child wait behind an owner that waits for its parent [X6 X5]", () => {
    const family = new Family();
    family.lock("ann", "p");
    family.lock("ann>kid", "a");
    family.lock("kim", "b");
    assert.equal(family.lock("bob", "a p"), "queued");
    assert.equal(family.lock("ann>kid", "a b"), "queued");
    const { code, events } = family.by("ann>kid", "release-lock", { paths: ["a"] });
    assert.equal(code, "done");
    assert.deepEqual(
      eventLines(events)
        .map((line) => family.named(line))
        .slice(-2),
      ["lock.deadlock", "lock.cancelled ann>kid deadlock"],
    );
  });

  test("a registration with parent_waits and without a parent of the same principal is refused [X6 M14]", () => {
    const decider = new Decider();
    const { code, data } = decider.decide("register-agent", { parent_waits: true });
    assert.deepEqual(
      [code, data["issues"]],
      ["input_invalid", [{ pointer: "/parent_waits", message: "must be sent together with parent" }]],
    );
    const parent = decider.register();
    assert.equal(decider.decide("register-agent", { parent, parent_waits: true }, "another").code, "agent_unknown");
    const { data: child } = decider.decide("register-agent", { parent, parent_waits: true, inactivity_seconds: 90 });
    assert.deepEqual([child["parent"], child["parent_waits"], child["inactivity_seconds"]], [parent, true, 90]);
  });
});
