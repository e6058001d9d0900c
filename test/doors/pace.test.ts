import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../server/src/base/clock.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import { Pace } from "../../server/src/doors/pace.ts";

/** A clock that tells for how long it was asked to wait, and rings when it is told to. */
function bell() {
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

test("all who wait are woken at one moment, and a few who watch often", async () => {
  const { clock, delays, ring } = bell();
  const pace = new Pace(clock, 10);
  for (const count of [1, 50, 2]) await beat(pace, count, ring);
  assert.deepEqual(delays, [10, 10, 10]);
});

test("the more there are who watch, the rarer the moments: all of them together get so many frames a second", async () => {
  const { clock, delays, ring } = bell();
  const pace = new Pace(clock, 10);
  for (const count of [400, 400, 1_000, 3, 3]) await beat(pace, count, ring);
  assert.deepEqual(delays, [10, 40, 40, 100, 10]);
});
