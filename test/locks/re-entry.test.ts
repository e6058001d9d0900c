import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Decider } from "./decider.ts";

/** Enough grants that a scan with a small limit would miss some. */
const many = 40;

/** An owner that holds one path in many sets and alone as well. */
function withMany(): { readonly decider: Decider; readonly fence: unknown } {
  const decider = new Decider();
  for (let index = 0; index < many; index += 1) decider.acquire("ann", `config:read file/${index}`);
  // Fences sort as text. This one sorts behind most of the others.
  while (decider.entries.length < 90) decider.acquire("pad", `pad/${decider.entries.length}`);
  const { data } = decider.acquire("ann", "config:read");
  return { decider, fence: data["fence"] };
}

describe("owners with many grants on one path", () => {
  test("an owner with many grants on one path gets the same fence when it repeats the acquire of one of them [M7]", () => {
    const { decider, fence } = withMany();
    assert.equal(decider.acquire("ann", "config:read").data["fence"], fence);
    for (const index of [0, 17, many - 1]) {
      const { code, events } = decider.acquire("ann", `config:read file/${index}`);
      assert.deepEqual([code, events.filter(({ type }) => type === "lock.acquired")], ["done", []]);
    }
  });

  test("an owner with many grants on one path does not wait behind the waiters for that path [X5 X6]", () => {
    const decider = new Decider();
    for (let index = 0; index < many; index += 1) decider.acquire("ann", `config:read file/${index}`);
    while (decider.entries.length < 90) decider.acquire("pad", `pad/${decider.entries.length}`);
    decider.acquire("ann", "config:upgradeable");
    decider.wait("bob", "config");
    assert.equal(decider.acquire("ann", "config:upgradeable other").code, "done");
  });
});
