import assert from "node:assert/strict";
import { test } from "node:test";
import { replayLine, runCampaign } from "./campaign.ts";
import { faultNames } from "./faults.ts";
import { simulate } from "./simulation.ts";

const steps = 500;
const seeds = 2_000;

test("whatever goes wrong, nothing acknowledged is lost and nothing happens twice, over 2,000 seeds [X10 M2 M4 M5 X4]", async (t) => {
  const { failures, counts, seeds: done } = await runCampaign({ from: 1, seeds, steps, jobs: 2 });
  const stories = failures.map(({ seed, promise, detail }) => `${promise}: ${detail}\n  ${replayLine(seed, steps)}`);
  assert.equal(failures.length, 0, `\n${stories.slice(0, 10).join("\n")}\n`);
  assert.equal(done, seeds);
  const never = [...faultNames, ...mustHappen].filter((name) => (counts.get(name) ?? 0) === 0);
  assert.deepEqual(never, [], "what never happens proves nothing");
  for (const name of mustHappen) t.diagnostic(`${name}: ${counts.get(name) ?? 0}`);
});

/** What the faults must lead to somewhere, or they are too weak. */
const mustHappen = [
  "answer is a replay",
  "replay from another node or life",
  "answer: concurrency_mismatch",
  "answer: outcome_unknown",
  "answer: journal_unavailable",
  "answer: deadline_passed",
  "answer: overloaded",
  "answer: stopping",
  "answer: idempotency_replay_conflict",
  "answer: idempotency_key_expired",
  "append is behind",
  "append is diverged",
  "orphan was accepted",
  "orphan was refused",
  "node notices that the journal went back",
  "lease expires by its timer",
  "subscriber continues from its cursor",
  "subscriber is told cursor_lost",
];

test("a seed gives the same story again, word for word [X10]", async () => {
  for (const seed of [3, 8, 17]) {
    const first = await simulate({ seed, steps, isTraced: true });
    const second = await simulate({ seed, steps, isTraced: true });
    assert.ok(first.trace.length > steps / 2);
    assert.deepEqual(second.trace, first.trace);
    assert.deepEqual([...second.counts], [...first.counts]);
  }
});
