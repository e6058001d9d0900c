import assert from "node:assert/strict";
import { test } from "node:test";
import { replayLine, runCampaign } from "./campaign.ts";
import { mustHappen, neverHappened } from "./rare-events.ts";
import { simulate } from "./simulation.ts";

const steps = 500;
const seeds = 2_000;

test("whatever goes wrong, nothing acknowledged is lost and nothing happens twice, over 2,000 seeds [X10 M2 M4 M5 X4 X2 X3 X5]", async (t) => {
  const { failures, tallies, seeds: done } = await runCampaign({ from: 1, seeds, steps, jobs: 2 });
  const stories = failures.map(({ seed, promise, detail }) => `${promise}: ${detail}\n  ${replayLine(seed, steps)}`);
  assert.equal(failures.length, 0, `\n${stories.slice(0, 10).join("\n")}\n`);
  assert.equal(done, seeds);
  assert.deepEqual(neverHappened(tallies), [], "what never happens proves nothing");
  const rarest = mustHappen.map((name) => ({ name, ...tallies.get(name)! })).sort((a, b) => a.seeds - b.seeds);
  for (const { name, times, seeds: inSeeds } of rarest.slice(0, 12))
    t.diagnostic(`${name}: ${times} in ${inSeeds} seeds`);
});

test("a seed gives the same story again, word for word [X10]", async () => {
  for (const seed of [6, 7, 12]) {
    const first = await simulate({ seed, steps, isTraced: true });
    const second = await simulate({ seed, steps, isTraced: true });
    assert.ok(first.trace.length > steps / 2);
    assert.deepEqual(second.trace, first.trace);
    assert.deepEqual([...second.counts], [...first.counts]);
  }
});
