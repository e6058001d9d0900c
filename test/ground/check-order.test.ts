/** The order in which the thread of checks runs its jobs. Each step of a job takes 5 ms of a clock that the test moves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckOrder } from "../../server/src/checks/check-port.ts";
import { CheckWorkLoop } from "../../server/src/checks/check-work-loop.ts";
import { ManualClock } from "../engine/manual-clock.ts";

const stepMs = 5;

interface PlannedJob {
  readonly unit: string;
  readonly steps: number;
  /** True if its work cannot yield, and pauses after each millisecond instead. */
  readonly isWhole?: boolean;
  /** Number of steps of the first job after which the order arrives. */
  readonly after?: number;
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
      const isWhole = jobs[number]?.isWhole === true;
      steps.push(number);
      clock.advance(isWhole ? 1 : stepMs);
      if (isWhole) loop.pause();
      else yield undefined;
    }
    return null;
  }
  const orderOf = (job: number): CheckOrder => {
    const { unit = "", isAsked } = jobs[job] ?? {};
    const request = { id: String(job), unit, operation: "toy", input: job, agent: null, after: 0 };
    if (isAsked === true) return { kind: "ask", check: "toy/1", job, question: job };
    return { kind: "prepare", check: "toy/1", job, request };
  };
  const later = [...jobs.keys()].filter((job) => jobs[job]?.after !== undefined);
  const loop: CheckWorkLoop = new CheckWorkLoop({
    clock,
    receive: () => {
      const done = steps.filter((number) => number === 0).length;
      const [job] = later;
      if (job === undefined || done < (jobs[job]?.after ?? 0)) return undefined;
      later.shift();
      return orderOf(job);
    },
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
  for (const job of jobs.keys()) if (!later.includes(job)) loop.take(orderOf(job));
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

test("a short check runs inside of a long step that cannot yield, and the long one keeps half of the time [G9]", async () => {
  const short = (after: number): PlannedJob => ({ unit: "a", steps: 1, after });
  const { steps, ends } = await run([
    { unit: "a", steps: 300, isWhole: true },
    ...[short(3), ...Array<PlannedJob>(20).fill(short(100))],
  ]);
  assert.equal(steps.indexOf(1), 50, "a step is long after 50 ms, and the order that arrived runs then");
  assert.equal(steps.indexOf(2), 101, "an order that arrives later runs at the next pause");
  const shared = steps.slice(101, steps.indexOf(21));
  const longMs = shared.filter((number) => number === 0).length;
  assert.ok(longMs >= 0.8 * stepMs * 19 && longMs <= 1.2 * stepMs * 19, `${longMs} ms of the long check`);
  assert.equal(ends.at(-1), 0, "the long check ends last");
});

test("a short check waits for a step that cannot yield and is not long [G9]", async () => {
  const { steps } = await run([
    { unit: "a", steps: 40, isWhole: true },
    { unit: "a", steps: 1 },
  ]);
  assert.deepEqual(steps, [...Array<number>(40).fill(0), 1]);
});

test("an order to cancel a long check that arrives inside of its step ends it with the step [G9]", async () => {
  const clock = new ManualClock();
  const reports: string[] = [];
  const orders: CheckOrder[] = [{ kind: "cancel", check: "toy/1", job: 0 }];
  let steps = 0;
  const loop: CheckWorkLoop = new CheckWorkLoop({
    clock,
    receive: () => orders.shift(),
    open: () => ({
      ...{ load: () => undefined, apply: () => undefined, unload: () => undefined },
      *prepare() {
        for (; steps < 1_000; steps += 1) {
          clock.advance(stepMs);
          loop.pause();
          if (steps % 20 === 19) yield undefined;
        }
        return null;
      },
    }),
    report: ({ kind }) => void reports.push(kind),
  });
  loop.take({ kind: "open", check: "toy/1", module: "", options: null });
  const request = { id: "0", unit: "a", operation: "toy", input: 0, agent: null, after: 0 };
  loop.take({ kind: "prepare", check: "toy/1", job: 0, request });
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  assert.deepEqual([steps, reports], [19, ["opened", "cancelled"]]);
});
