import assert from "node:assert/strict";
import { test } from "node:test";
import { counts } from "../prove/counts.ts";
import { checkFences, checkOwners, mayBeLost } from "./faults/check-end.ts";
import { nodeFaults } from "./faults/faults.ts";
import { runFaults } from "./faults/fault-run.ts";
import type { AcknowledgedWrite } from "./faults/load.ts";
import { checkPublished, type PublishedEvent, PublishedHistory } from "./faults/published-events.ts";

const cycles = counts.faultCycles;

test("three nodes under real faults lose nothing acknowledged, do nothing twice, publish every event once in order, and answer again within seconds [X1 X3 X7 M4 M11]", async () => {
  const { injectedCounts, acknowledgedCount, publishedCount } = await runFaults({ cycles, seed: 7 });
  assert.equal(injectedCounts.size, nodeFaults.length, "every kind of fault was injected");
  assert.ok(acknowledgedCount > 10 * cycles, String(acknowledgedCount));
  assert.ok(publishedCount > 10 * cycles, String(publishedCount));
});

test("the check of fences finds a write under an older fence after a newer one, and only a restore excuses a loss", () => {
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

test("the check of events finds one that is published twice, out of order or never, and only a new epoch takes one back", () => {
  const event = (epoch: number, position: number, name = "evt.note.created"): PublishedEvent => ({
    ...{ epoch, position, index: 0, name },
  });
  const historyOf = (...all: readonly PublishedEvent[]): PublishedHistory => {
    const history = new PublishedHistory();
    for (const event of all) history.add(event);
    return history;
  };
  const [first, second, third] = [event(1, 1), event(1, 2), event(1, 3)];
  assert.throws(() => historyOf(first, second, second), /twice, or out of order/);
  assert.throws(() => historyOf(first, third, second), /twice, or out of order/);
  assert.throws(() => historyOf(event(2, 1), event(1, 2)), /twice, or out of order/);
  assert.throws(() => historyOf(first, second, event(2, 2)), /without a new epoch/);
  assert.throws(() => {
    checkPublished(historyOf(first, third).events, [first, second, third]);
  }, /published: evt\.note\.created at 1\.3\.0, journal: evt\.note\.created at 1\.2\.0/);
  assert.throws(() => {
    checkPublished([first], [first, second]);
  }, /published: nothing/);
  const raised = event(2, 2, "evt.space.epoch_raised");
  const restored = historyOf(first, second, third, raised, event(2, 3));
  assert.equal(restored.returnCount, 1);
  checkPublished(restored.events, [first, raised, event(2, 3)]);
});
