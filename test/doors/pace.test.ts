import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../server/src/base/clock.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import { Pace } from "../../server/src/doors/pace.ts";

/** A clock that records the delays of its timers, and fires the last one when the test calls `ring`. */
function manualClock() {
  const delays: number[] = [];
  let ring: () => void = () => undefined;
  const clock: Clock = {
    ...systemClock,
    after(delayMs, callback) {
      delays.push(delayMs);
      ring = callback;
      return () => undefined;
    },
  };
  return {
    clock,
    delays,
    ring: () => {
      ring();
    },
  };
}

async function beat(pace: Pace, watcherCount: number, ring: () => void): Promise<void> {
  const woken = Promise.all(Array.from({ length: watcherCount }, () => pace.wait()));
  ring();
  await woken;
}

test("a pace wakes all waiting watchers at once, and few watchers at the shortest interval", async () => {
  const { clock, delays, ring } = manualClock();
  const pace = new Pace(clock, 10);
  for (const count of [1, 50, 2]) await beat(pace, count, ring);
  assert.deepEqual(delays, [10, 10, 10]);
});

test("a pace lengthens its interval with the number of watchers, so that the frames per second stay bounded", async () => {
  const { clock, delays, ring } = manualClock();
  const pace = new Pace(clock, 10);
  for (const count of [400, 400, 1_000, 3, 3]) await beat(pace, count, ring);
  assert.deepEqual(delays, [10, 40, 40, 100, 10]);
});
