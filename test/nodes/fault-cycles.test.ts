import assert from "node:assert/strict";
import { test } from "node:test";
import { checkFences, checkOwners, mayBeLost } from "./faults/check-end.ts";
import { nodeFaults } from "./faults/faults.ts";
import { runFaults } from "./faults/fault-run.ts";
import type { Acknowledged } from "./faults/load.ts";

const cycles = 20;

test("three nodes under real faults lose nothing acknowledged but by a restore, do nothing twice, keep others out by fence, and go on within seconds [X1 X3 X7 M4]", async () => {
  const { counts, acknowledgedCount } = await runFaults({ cycles, seed: 7 });
  assert.equal(counts.size, nodeFaults.length, "every kind of fault struck");
  assert.ok(acknowledgedCount > 10 * cycles, String(acknowledgedCount));
});

test("a write under an older fence behind one under a newer is seen, and only a restore excuses a loss", () => {
  const write = (epoch: number, position: number, fence: string): Acknowledged => ({
    ...{ what: "guarded", id: "x", version: 1, atMs: 10 },
    ...{ epoch, position, fence },
  });
  assert.throws(() => checkOwners([write(1, 5, "1.2"), { ...write(2, 5, "1.2"), id: "locking 2 1" }]), /given to two/);
  checkFences([write(1, 5, "1.2"), write(1, 4, "1.2"), write(7, 2, "7.1")]);
  assert.throws(() => checkFences([write(1, 5, "1.2"), write(1, 4, "1.10")]), /1\.2 after somebody had under 1\.10/);
  assert.throws(() => checkFences([write(7, 9, "1.2"), write(7, 4, "7.3")]), /under 1\.2 after/);
  assert.ok(mayBeLost(write(1, 5, "1.2"), { savedAtMs: 9, epoch: 2 }));
  assert.ok(!mayBeLost(write(1, 5, "1.2"), { savedAtMs: 11, epoch: 2 }));
  assert.ok(!mayBeLost(write(2, 5, "2.2"), { savedAtMs: 9, epoch: 2 }));
});
