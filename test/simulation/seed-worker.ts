/** One thread of a campaign: runs its seeds one after the other and reports every few of them. */
import { parentPort, workerData } from "node:worker_threads";
import type { SeedFailure, SeedReport } from "./seed-report.ts";
import { simulate } from "./simulation.ts";
import { addSeed } from "./tally.ts";
import type { Tallies } from "./tally.ts";

const seedsPerReport = 20;

const { seeds, steps } = workerData as { readonly seeds: readonly number[]; readonly steps: number };
let seedCount = 0;
let stepCount = 0;
let tallies: Tallies = new Map();
let failures: SeedFailure[] = [];

function report(): void {
  const message: SeedReport = { seedCount, stepCount, tallies, failures };
  parentPort?.postMessage(message);
  seedCount = 0;
  stepCount = 0;
  tallies = new Map();
  failures = [];
}

for (const seed of seeds) {
  const result = await simulate({ seed, steps });
  seedCount += 1;
  stepCount += result.stepCount;
  addSeed(tallies, result.counts);
  if (result.broken !== undefined) failures.push({ seed, ...result.broken });
  if (seedCount === seedsPerReport) report();
}
report();
