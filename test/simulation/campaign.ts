/** Many seeds on several threads. */
import { Worker } from "node:worker_threads";
import type { Failure, SeedReport } from "./seed-report.ts";

export interface CampaignOptions {
  readonly from: number;
  readonly seeds: number;
  readonly steps: number;
  readonly jobs: number;
  /** Called after every few seeds. */
  readonly onProgress?: (done: number, failed: number) => void;
}

export interface CampaignResult {
  readonly seeds: number;
  readonly stepCount: number;
  /** How often each fault and each rare event happened. */
  readonly counts: ReadonlyMap<string, number>;
  readonly failures: readonly Failure[];
}

/** Threads take turns by seed: thread k of n runs the seeds from + k, from + k + n, and so on. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const counts = new Map<string, number>();
  const failures: Failure[] = [];
  let done = 0;
  let stepCount = 0;
  const take = (report: SeedReport): void => {
    done += report.seeds;
    stepCount += report.stepCount;
    failures.push(...report.failures);
    for (const [name, count] of report.counts) counts.set(name, (counts.get(name) ?? 0) + count);
    options.onProgress?.(done, failures.length);
  };
  await Promise.all(Array.from({ length: options.jobs }, (_, index) => runThread(options, index, take)));
  failures.sort((a, b) => a.seed - b.seed);
  return { seeds: done, stepCount, counts, failures };
}

function runThread(options: CampaignOptions, index: number, take: (report: SeedReport) => void): Promise<void> {
  const { from, seeds, steps, jobs } = options;
  const workerData = { from: from + index, to: from + seeds, stride: jobs, steps };
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./seed-worker.ts", import.meta.url), { workerData });
    worker.on("message", take);
    worker.on("error", reject);
    worker.on("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`a thread of the simulation ended with ${code}`));
    });
  });
}

/** The line that shows a failure again. */
export function replayLine(seed: number, steps: number): string {
  return `npm run simulate -- --seed ${seed} --steps ${steps}`;
}
