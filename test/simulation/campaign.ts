/** Many seeds on several threads. */
import { Worker } from "node:worker_threads";
import type { SeedFailure, SeedReport } from "./seed-report.ts";
import { addTallies } from "./tally.ts";
import type { Tallies, Tally } from "./tally.ts";

export interface CampaignOptions {
  readonly seeds: readonly number[];
  readonly steps: number;
  readonly threads: number;
  /** Called after every few seeds. */
  readonly onProgress?: (done: number, failed: number) => void;
  /** Called for each seed that breaks a promise, as soon as it is known. */
  readonly onFailure?: (failure: SeedFailure) => void;
  /** Ends the campaign early. The result counts the seeds that ran until then. */
  readonly signal?: AbortSignal;
}

export interface CampaignResult {
  readonly seedCount: number;
  readonly stepCount: number;
  /** The tally of each fault and each rare event. */
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly failures: readonly SeedFailure[];
}

/** The threads take the seeds in turns, so that each gets about the same work. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const tallies: Tallies = new Map();
  const failures: SeedFailure[] = [];
  let seedCount = 0;
  let stepCount = 0;
  const add = (report: SeedReport): void => {
    seedCount += report.seedCount;
    stepCount += report.stepCount;
    failures.push(...report.failures);
    for (const failure of report.failures) options.onFailure?.(failure);
    addTallies(tallies, report.tallies);
    options.onProgress?.(seedCount, failures.length);
  };
  await Promise.all(Array.from({ length: options.threads }, (_, thread) => runThread(options, thread, add)));
  failures.sort((a, b) => a.seed - b.seed);
  return { seedCount, stepCount, tallies, failures };
}

function runThread(options: CampaignOptions, thread: number, add: (report: SeedReport) => void): Promise<void> {
  const { steps, threads, signal } = options;
  const seeds = options.seeds.filter((_, index) => index % threads === thread);
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./seed-worker.ts", import.meta.url), { workerData: { seeds, steps } });
    const stop = (): void => void worker.terminate();
    signal?.addEventListener("abort", stop, { once: true });
    worker.on("message", add);
    worker.on("error", reject);
    worker.on("exit", (code) => {
      signal?.removeEventListener("abort", stop);
      if (code === 0 || signal?.aborted === true) resolve();
      else reject(new Error(`a thread of the simulation ended with exit code ${code}`));
    });
  });
}

/** The command that runs a failed seed again. */
export function replayLine(seed: number, steps: number): string {
  return `npm run simulate -- --seed ${seed} --steps ${steps}`;
}
