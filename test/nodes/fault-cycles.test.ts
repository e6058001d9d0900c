import assert from "node:assert/strict";
import { test } from "node:test";
import { counts } from "../prove/counts.ts";
import { checkFences, checkOwners, mayBeLost } from "./faults/check-end.ts";
import { nodeFaults } from "./faults/faults.ts";
import { runFaults } from "./faults/fault-run.ts";
import type { AcknowledgedWrite } from "./faults/load.ts";
import { checkPublished, type PublishedEvent, PublishedHistory } from "./faults/published-events.ts";

const cycles = counts.faultCycles;

test("three nodes under real faults lose nothing acknowledged but by a restore, do nothing twice, keep others out by fence, publish every event once in order, and go on within seconds [X1 X3 X7 M4 M11]", async () => {
  const { struck, acknowledgedCount, publishedCount: toldCount } = await runFaults({ cycles, seed: 7 });
  assert.equal(struck.size, nodeFaults.length, "every fault kind struck");
  assert.ok(acknowledgedCount > 10 * cycles, String(acknowledgedCount));
  assert.ok(toldCount > 10 * cycles, String(toldCount));
});

test("a write under an older fence behind one under a newer is seen, and only a restore excuses a loss", () => {
  const write = (epoch: number, position: number, fence: string): AcknowledgedWrite => ({
    ...{ what: "guarded", id: "x", version: 1, atMs: 10 },
    ...{ epoch, position, fence },
  });
  assert.throws(() => checkOwners([write(1, 5, "1.2"), { ...write(2, 5, "1.2"), id: "locking 2 1" }]), /given to two/);
  checkFences([write(1, 5, "1.2"), write(1, 4, "1.2"), write(7, 2, "7.1")]);
  assert.throws(() => checkFences([write(1, 5, "1.2"), write(1, 4, "1.10")]), /1\.2 after x had under 1\.10/);
  assert.throws(() => checkFences([write(7, 9, "1.2"), write(7, 4, "7.3")]), /under 1\.2 after/);
  assert.ok(mayBeLost(write(1, 5, "1.2"), { savedAtMs: 9, epoch: 2 }));
  assert.ok(!mayBeLost(write(1, 5, "1.2"), { savedAtMs: 11, epoch: 2 }));
  assert.ok(!mayBeLost(write(2, 5, "2.2"), { savedAtMs: 9, epoch: 2 }));
});

test("an event that is told twice, out of order or not at all is seen, and only a new epoch takes something back", () => {
  const told = (epoch: number, position: number, name = "evt.note.created"): PublishedEvent => ({
    ...{ epoch, position, index: 0, name },
  });
  const historyOf = (...all: readonly PublishedEvent[]): PublishedHistory => {
    const history = new PublishedHistory();
    for (const one of all) history.add(one);
    return history;
  };
  const [first, second, third] = [told(1, 1), told(1, 2), told(1, 3)];
  assert.throws(() => historyOf(first, second, second), /twice, or out of order/);
  assert.throws(() => historyOf(first, third, second), /twice, or out of order/);
  assert.throws(() => historyOf(told(2, 1), told(1, 2)), /twice, or out of order/);
  assert.throws(() => historyOf(first, second, told(2, 2)), /no new epoch was told/);
  assert.throws(() => {
    checkPublished(historyOf(first, third).events, [first, second, third]);
  }, /told: evt\.note\.created at 1\.3\.0, journal: evt\.note\.created at 1\.2\.0/);
  assert.throws(() => {
    checkPublished([first], [first, second]);
  }, /told: nothing/);
  const raised = told(2, 2, "evt.space.epoch_raised");
  const restored = historyOf(first, second, third, raised, told(2, 3));
  assert.equal(restored.returnCount, 1);
  checkPublished(restored.events, [first, raised, told(2, 3)]);
});
