/** The order in which the thread of checks runs its jobs. Each step of a job takes 5 ms of a clock that the test moves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CheckWorkLoop } from "../../server/src/checks/check-work-loop.ts";
import { ManualClock } from "../engine/manual-clock.ts";

const stepMs = 5;

interface PlannedJob {
  readonly unit: string;
  readonly steps: number;
  /** True for a question instead of a check. */
  readonly isAsked?: boolean;
}

/** Runs jobs that arrive together, in this order. Returns the numbers of the jobs by their steps and by their ends. */
async function run(
  jobs: readonly PlannedJob[],
  { share = 1 }: { readonly share?: number } = {},
): Promise<{ readonly steps: readonly number[]; readonly ends: readonly number[] }> {
  const clock = new ManualClock();
  const steps: number[] = [];
  const ends: number[] = [];
  const { promise, resolve } = Promise.withResolvers<undefined>();
  function* work(number: number) {
    for (let step = 0; step < (jobs[number]?.steps ?? 0); step += 1) {
      steps.push(number);
      clock.advance(stepMs);
      yield undefined;
    }
    return null;
  }
  const loop = new CheckWorkLoop({
    clock,
    // On a busy host a thread gets a share of the processor.
    processorMs: () => clock.monotonicMs() * share,
    open: () => ({
      ...{ load: () => undefined, apply: () => undefined, unload: () => undefined },
      prepare: ({ input }) => work(input as number),
      ask: (question) => work(question as number),
    }),
    report: (report) => {
      if (report.kind !== "result") return;
      ends.push(report.job);
      if (ends.length === jobs.length) resolve(undefined);
    },
  });
  loop.take({ kind: "open", check: "toy/1", module: "", options: null });
  for (const [job, { unit, isAsked }] of jobs.entries()) {
    const request = { id: String(job), unit, operation: "toy", input: job, agent: null, after: 0 };
    if (isAsked === true) loop.take({ kind: "ask", check: "toy/1", job, question: job });
    else loop.take({ kind: "prepare", check: "toy/1", job, request });
  }
  await promise;
  return { steps, ends };
}

test("a short check of the same unit ends while a long check runs, and delays it by one turn [G9]", async () => {
  const { steps, ends } = await run([
    { unit: "a", steps: 100 },
    { unit: "a", steps: 1 },
  ]);
  assert.deepEqual(ends, [1, 0]);
  assert.ok(steps.indexOf(1) <= 12, `the short check began after ${steps.indexOf(1)} steps`);
});

test("long checks of one unit run one after the other, because each changes what the others read [G9]", async () => {
  const { steps, ends } = await run([
    { unit: "a", steps: 40 },
    { unit: "a", steps: 40 },
    { unit: "a", steps: 40 },
  ]);
  assert.deepEqual(ends, [0, 1, 2]);
  const turns = steps.filter((number, index) => number !== steps[index - 1]);
  // Each job ran alone until it was long. From then on each second turn belongs to the first long job.
  assert.deepEqual(steps.slice(-30), Array<number>(30).fill(2), "the last job ends without another one");
  assert.ok(turns.lastIndexOf(0) < turns.lastIndexOf(1) && steps.lastIndexOf(0) < 90, turns.join(" "));
});

test("a long check of another unit, or a question, gets its share while a long check runs [G9]", async () => {
  for (const other of [
    { unit: "b", steps: 40 },
    { unit: "a", steps: 40, isAsked: true },
  ]) {
    const { ends } = await run([{ unit: "a", steps: 400 }, other]);
    assert.deepEqual(ends, [1, 0]);
  }
});

test("a check counts as long by its processor time, not by the time for which a busy host kept it waiting [G9]", async () => {
  const jobs = Array.from({ length: 4 }, () => ({ unit: "a", steps: 40 }));
  const { steps, ends } = await run(jobs, { share: 0.1 });
  assert.deepEqual(ends, [0, 1, 2, 3]);
  assert.deepEqual(
    steps.filter((number, index) => number !== steps[index - 1]),
    [0, 1, 2, 3],
    "no check interrupts another one",
  );
});
