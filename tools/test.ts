/**
 * Everything that must hold before a change is merged: `npm test`. The checks (types, lint, format, imports) run with the
 * tests, which wait for processes and disks about as often as they compute. The first check that fails ends the run, since
 * the tests of a program that does not compile prove nothing.
 *
 * Each part has a budget of processor seconds (`test-budget.ts`). A part that uses more fails.
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { testEnvironment } from "../test/scenario/child-environment.ts";
import { measureHostFactor, watchHostFactor } from "./host-speed.ts";
import { runTask } from "./run-task.ts";
import type { TaskResult } from "./run-task.ts";
import { allowances, margin } from "./test-budget.ts";
import { planTests } from "./test-plan.ts";
import { slowestLines, usageLines, usageOfParts } from "./test-summary.ts";

const root = join(import.meta.dirname, "..");

/** Compiled code is cached: hundreds of processes load the same sources, which would take most of them longer than their work. */
const env = testEnvironment({ NODE_COMPILE_CACHE: join(root, ".tmp", "compile-cache") });

/** More processes than cores, because about a third of the time is waiting. */
const processesMax = availableParallelism() + 1;

/** The lines with which Node's runner sums up one process. Their sum is at the end. */
const summaryLine = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) .*\n/gmu;

const results: TaskResult[] = [];
const stopping = new AbortController();
const isStopped = (): boolean => stopping.signal.aborted;
const tasks = [...planTests(allowances)];

function show({ task, isPassed, output, wallSeconds }: TaskResult): void {
  if (task.isCheck && isPassed) return;
  console.log(`== ${task.name}: ${isPassed ? "passed" : "FAILED"} after ${wallSeconds.toFixed(1)} s`);
  console.log(output.replaceAll(summaryLine, ""));
}

/** One of several that take the next task until there is none. */
async function work(): Promise<void> {
  for (let task = tasks.shift(); task !== undefined && !isStopped(); task = tasks.shift()) {
    const result = await runTask(task, { cwd: root, env, signal: stopping.signal });
    if (isStopped()) return;
    results.push(result);
    show(result);
    if (task.isCheck && !result.isPassed) stopping.abort();
  }
}

const startMs = performance.now();
const factorAtStart = await measureHostFactor();
const endWatch = watchHostFactor(15_000);
await Promise.all(Array.from({ length: processesMax }, work));
// Other guests of the same machine may have slowed it down meanwhile.
const hostFactor = Math.max(factorAtStart, await endWatch(), await measureHostFactor());

const usage = usageOfParts(results, hostFactor);
for (const line of usageLines(usage, hostFactor)) console.log(line);
for (const line of ["", ...slowestLines(results), ""]) console.log(line);

const failedTasks = results.filter(({ isPassed }) => !isPassed);
// A process that failed without a failed test crashed, or could not stop what it had started.
const failures = failedTasks.flatMap(({ task, tally }) =>
  tally === undefined || tally.failures.length === 0 ? [task.name] : tally.failures,
);
for (const failure of failures) console.log(`FAILED ${failure}`);
const over = usage.filter(({ isOver }) => isOver);
for (const { part, used, allowed } of over) {
  console.log(
    `OVER ${part} used ${used.toFixed(1)} processor seconds; ${allowed.toFixed(1)} are allowed, and ${100 * margin} % more. ` +
      "Make its tests cheaper, or change its allowance in tools/test-budget.ts.",
  );
}
if (isStopped()) console.log("A check failed, so the tests were stopped.");
const passed = results.reduce((sum, { tally }) => sum + (tally?.passed ?? 0), 0);
console.log(`${passed} passed, ${failures.length} failed, in ${((performance.now() - startMs) / 1_000).toFixed(0)} s`);
if (failures.length > 0 || over.length > 0) process.exitCode = 1;
