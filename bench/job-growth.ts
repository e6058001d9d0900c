/** A million waiting jobs in a thousand projects, on the machine alone: the cost of each command, and the heap of a job. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { jobPayload } from "./job-queue.ts";
import { machineRunner } from "./machine-runner.ts";
import { atMost, format, median } from "./report.ts";
import type { BenchOptions, Row } from "./report.ts";

const projectCount = 1_000;
const batch = 1_000;

/** Commands of each size that are measured. */
const measured = 2_000;

interface GrowthPoint {
  readonly size: number;
  readonly submitUs: number;
  readonly startUs: number;
  readonly bytes: number;
}

export function jobGrowthRows({ isQuick, report }: BenchOptions): readonly Row[] {
  const sizes = isQuick ? [10_000, 100_000] : [10_000, 100_000, 1_000_000];
  const run = machineRunner();
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const heap = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  const projects = Object.fromEntries(
    Array.from({ length: projectCount }, (_, index) => [`p${index}`, { backlog_max: 1_000_000 }]),
  );
  run("jobs.configure", { projects });
  const points: GrowthPoint[] = [];
  let count = 0;
  for (const size of sizes) {
    while (count < size) {
      const jobs = Array.from({ length: batch }, (_, index) => jobAt(count + index));
      run("jobs.submit-many", { jobs });
      count += batch;
    }
    const bytes = (heap() - before) / count;
    const submitUs = median(Array.from({ length: measured }, () => run("jobs.submit", jobAt((count += 1))).us));
    points.push({ size, submitUs, startUs: measureStarts(run), bytes });
    const point = points.at(-1);
    report(`${format(size)} waiting: ${JSON.stringify(point)}`);
  }
  return rowsOf(points);
}

function jobAt(index: number): Record<string, unknown> {
  return { type: "noop", project: `p${index % projectCount}`, payload: jobPayload };
}

type Run = ReturnType<typeof machineRunner>;

/** The entry that completes a job starts the next one. */
function measureStarts(run: Run): number {
  const registered = run("register-agent", { inactivity_seconds: 604_800 });
  const { agent_id: worker } = registered.outcome.data as { readonly agent_id: string };
  const offered = run("jobs.offer", { types: ["noop"], slots: 1 }, worker);
  let job = startedIn(offered.events);
  const times: number[] = [];
  for (let index = 0; index < measured && job !== undefined; index += 1) {
    const completed = run("jobs.complete", job, worker);
    times.push(completed.us);
    job = startedIn(completed.events);
  }
  run("jobs.offer", { types: ["noop"], slots: 0 }, worker);
  if (job !== undefined) run("jobs.complete", job, worker);
  return median(times);
}

function startedIn(events: readonly { type: string; subject: string; data: Readonly<Record<string, unknown>> }[]) {
  const started = events.find(({ type }) => type === "jobs.started");
  return started && { id: started.subject.slice("job/".length), claim: started.data["claim"] };
}

function rowsOf(points: readonly GrowthPoint[]): readonly Row[] {
  const worst = (of: "submitUs" | "startUs"): GrowthPoint[] => {
    const steps = points.slice(1).map((point, index) => [points[index] as GrowthPoint, point]);
    return steps.toSorted((a, b) => ratio(b, of) - ratio(a, of))[0] ?? [];
  };
  const row = (name: string, of: "submitUs" | "startUs"): Row => {
    const [from, to] = worst(of);
    return atMost(name, to?.[of] ?? NaN, from?.[of] ?? NaN, 2);
  };
  const most = Math.max(...points.map(({ bytes }) => bytes));
  return [
    row("submit of a job with ten times as many waiting, µs, the worst step", "submitUs"),
    row("complete + start with ten times as many waiting, µs, the worst step", "startUs"),
    atMost("heap of a waiting job, bytes, over 1 KiB", most, 1_024, 1),
  ];
}

function ratio([from, to]: readonly GrowthPoint[], of: "submitUs" | "startUs"): number {
  return (to?.[of] ?? NaN) / (from?.[of] ?? NaN);
}
