import assert from "node:assert/strict";
import { test } from "node:test";
import { replayLine, runCampaign } from "./campaign.ts";
import { faultNames } from "./faults.ts";
import { simulate } from "./simulation.ts";

const steps = 500;
const seeds = 2_000;

test("whatever goes wrong, nothing acknowledged is lost and nothing happens twice, over 2,000 seeds [X10 M2 M4 M5 X4 X2 X3 X5]", async (t) => {
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
  "entity is written under a fence",
  "event: lock.acquired",
  "event: lock.acquired from the queue",
  "event: lock.upgraded",
  "event: lock.downgraded",
  "event: lock.transferred",
  "event: lock.refreshed",
  "event: lock.released",
  "event: lock.released agent_ended",
  "event: lock.expired lease",
  "event: lock.expired max_hold",
  "event: lock.expired unclaimed",
  "event: lock.expired agent_ended",
  "event: lock.recovered",
  "event: lock.forced simulated",
  "event: lock.claimed",
  "event: lock.cancelled cancelled",
  "event: lock.cancelled expired",
  "event: lock.cancelled agent_ended",
  "event: lock.ticket_renewed",
  "event: lock.deadlock",
  "event: lock.handover_left",
  "a lock is held off after a crash",
  "what an ended agent had is freed in parts",
  "event: agents.renewed",
  "event: agent.resumed",
  "event: agent.ended requested",
  "event: agent.ended inactive",
  "event: agent.ended parent_ended",
  "subscriber continues from its cursor",
  "subscriber is told cursor_lost",
];

test("a seed gives the same story again, word for word [X10]", async () => {
  for (const seed of [3, 7, 12]) {
    const first = await simulate({ seed, steps, isTraced: true });
    const second = await simulate({ seed, steps, isTraced: true });
    assert.ok(first.trace.length > steps / 2);
    assert.deepEqual(second.trace, first.trace);
    assert.deepEqual([...second.counts], [...first.counts]);
  }
});
