import assert from "node:assert/strict";
import { test } from "node:test";
import { counts } from "../prove/counts.ts";
import { testSeeds } from "../prove/test-seeds.ts";
import { replayLine, runCampaign } from "./campaign.ts";
import { mustHappen, neverHappened } from "./rare-events.ts";
import { simulate } from "./simulation.ts";

const steps = counts.simulationSteps;

test("the engine loses nothing acknowledged and does nothing twice under every fault of the simulation [X10 M2 M4 M5 X4 X2 X3 X5 G6 G7 G9]", async (t) => {
  const { failures, tallies, seedCount } = await runCampaign({ seeds: testSeeds, steps, threads: 2 });
  const stories = failures.map(({ seed, promise, detail }) => `${promise}: ${detail}\n  ${replayLine(seed, steps)}`);
  assert.equal(failures.length, 0, `\n${stories.slice(0, 10).join("\n")}\n`);
  assert.equal(seedCount, testSeeds.length);
  const missed = "the seeds of npm test miss these events: run npm run simulate -- --choose";
  assert.deepEqual(neverHappened(tallies), [], missed);
  const rarest = mustHappen.map((name) => ({ name, ...tallies.get(name)! })).sort((a, b) => a.seeds - b.seeds);
  for (const { name, times, seeds } of rarest.slice(0, 5)) t.diagnostic(`${name}: ${times} in ${seeds} seeds`);
});

test("a seed replays the same trace, word for word [X10]", async () => {
  for (const seed of [1, 2, 6]) {
    const first = await simulate({ seed, steps, isTraced: true });
    const second = await simulate({ seed, steps, isTraced: true });
    assert.ok(first.trace.length > steps / 2);
    assert.deepEqual(second.trace, first.trace);
    assert.deepEqual([...second.counts], [...first.counts]);
  }
});
