/** One thread of a campaign: runs its seeds one after the other and reports every few of them. */
import { parentPort, workerData } from "node:worker_threads";
import type { Failure, SeedReport } from "./seed-report.ts";
import { simulate } from "./simulation.ts";
import { addSeed } from "./tally.ts";
import type { Tallies } from "./tally.ts";

interface Share {
  readonly from: number;
  readonly to: number;
  readonly stride: number;
  readonly steps: number;
}

const seedsPerReport = 20;

const { from, to, stride, steps } = workerData as Share;
let seeds = 0;
let stepCount = 0;
let tallies: Tallies = new Map();
let failures: Failure[] = [];

function report(): void {
  const message: SeedReport = { seeds, stepCount, tallies, failures };
  parentPort?.postMessage(message);
  seeds = 0;
  stepCount = 0;
  tallies = new Map();
  failures = [];
}

for (let seed = from; seed < to; seed += stride) {
  const result = await simulate({ seed, steps });
  seeds += 1;
  stepCount += result.stepCount;
  addSeed(tallies, result.counts);
  if (result.broken !== undefined) failures.push({ seed, ...result.broken });
  if (seeds === seedsPerReport) report();
}
report();
