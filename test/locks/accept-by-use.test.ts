import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { lockLimits } from "../../server/src/features/locks/tables/settings.ts";
import { Decider, eventLines } from "./decider.ts";

/** A set that Bob waited for and was granted but has not accepted yet. */
function grantedNotAccepted(mode = "upgradeable"): Decider {
  const decider = new Decider();
  decider.acquire("ann", "a b");
  decider.wait("bob", `a:${mode} b:${mode}`);
  decider.release("ann", "a b");
  decider.time += 1_000;
  return decider;
}

const uses: readonly { readonly how: string; readonly operation: string; readonly input: Record<string, string> }[] = [
  { how: "an upgrade", operation: "upgrade-lock", input: {} },
  { how: "a downgrade", operation: "downgrade-lock", input: { mode: "read" } },
  { how: "a downgrade that changes nothing", operation: "downgrade-lock", input: { mode: "write" } },
  { how: "a transfer", operation: "transfer-lock", input: { to: "cid" } },
];

describe("acceptance by use", () => {
  for (const { how, operation, input } of uses) {
    test(`a granted ticket is accepted by ${how}, and its lease ends when the reply says [X5 M9]`, () => {
      const decider = grantedNotAccepted();
      const { code, data } = decider.decide(operation, { path: "a", owner_id: "bob", ...input });
      assert.deepEqual([code, data["expires_at"]], ["done", new Date(decider.time - 1_000 + 600_000).toISOString()]);
      assert.deepEqual(eventLines(decider.pass(lockLimits.acceptMs)), []);
      assert.deepEqual(eventLines(decider.pass(600_000)).slice(0, 1), [`lock.expired ${input["to"] ?? "bob"} lease`]);
    });
  }

  test("a granted ticket is accepted by the release of one of its paths, and its owner keeps the rest [X5 M9]", () => {
    const decider = grantedNotAccepted();
    decider.release("bob", "b");
    assert.deepEqual(eventLines(decider.pass(lockLimits.acceptMs)), []);
    assert.deepEqual(decider.holders(), ["bob: a upgradeable"]);
  });

  test("a granted ticket is accepted by an upgrade that waits but not by an upgrade that is refused [X5 W1]", () => {
    for (const wait of [true, false]) {
      const decider = grantedNotAccepted("read");
      decider.acquire("cid", "a:read");
      const { code } = decider.decide("upgrade-lock", { path: "a", owner_id: "bob", wait });
      assert.equal(code, wait ? "done" : "lock_denied");
      decider.pass(lockLimits.acceptMs);
      assert.equal(decider.holders().includes("bob: a read, b read"), wait);
    }
  });

  test("a granted ticket is accepted by an upgrade to the mode that it already has [X5]", () => {
    const decider = grantedNotAccepted("write");
    assert.equal(decider.decide("upgrade-lock", { path: "a", owner_id: "bob" }).data["granted"], true);
    assert.deepEqual(eventLines(decider.pass(lockLimits.acceptMs)), []);
  });
});
