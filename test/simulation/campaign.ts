/** Many seeds on several threads. */
import { Worker } from "node:worker_threads";
import type { Failure, SeedReport } from "./seed-report.ts";
import { addTallies } from "./tally.ts";
import type { Tallies, Tally } from "./tally.ts";

export interface CampaignOptions {
  readonly from: number;
  readonly seeds: number;
  readonly steps: number;
  readonly jobs: number;
  /** Called after every few seeds. */
  readonly onProgress?: (done: number, failed: number) => void;
  /** Called for each seed that breaks a promise, as soon as it is known. */
  readonly onFailure?: (failure: Failure) => void;
  /** Ends the campaign early; what was done until then counts. */
  readonly signal?: AbortSignal;
}

export interface CampaignResult {
  readonly seeds: number;
  readonly stepCount: number;
  /** How often each fault and each rare event happened. */
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly failures: readonly Failure[];
}

/** Threads take turns by seed: thread k of n runs the seeds from + k, from + k + n, and so on. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const tallies: Tallies = new Map();
  const failures: Failure[] = [];
  let done = 0;
  let stepCount = 0;
  const take = (report: SeedReport): void => {
    done += report.seeds;
    stepCount += report.stepCount;
    failures.push(...report.failures);
    for (const failure of report.failures) options.onFailure?.(failure);
    addTallies(tallies, report.tallies);
    options.onProgress?.(done, failures.length);
  };
  await Promise.all(Array.from({ length: options.jobs }, (_, index) => runThread(options, index, take)));
  failures.sort((a, b) => a.seed - b.seed);
  return { seeds: done, stepCount, tallies, failures };
}

function runThread(options: CampaignOptions, index: number, take: (report: SeedReport) => void): Promise<void> {
  const { from, seeds, steps, jobs, signal } = options;
  const workerData = { from: from + index, to: from + seeds, stride: jobs, steps };
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./seed-worker.ts", import.meta.url), { workerData });
    const stop = (): void => void worker.terminate();
    signal?.addEventListener("abort", stop, { once: true });
    worker.on("message", take);
    worker.on("error", reject);
    worker.on("exit", (code) => {
      signal?.removeEventListener("abort", stop);
      if (code === 0 || signal?.aborted === true) resolve();
      else reject(new Error(`a thread of the simulation ended with ${code}`));
    });
  });
}

/** The line that shows a failure again. */
export function replayLine(seed: number, steps: number): string {
  return `npm run simulate -- --seed ${seed} --steps ${steps}`;
}
