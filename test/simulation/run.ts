/**
 * Runs the simulation from the command line:
 *   npm run simulate -- --seeds 2000 --steps 500 --from 1 --jobs 2     many seeds, with a summary
 *   npm run simulate -- --seed 42 --steps 500 [--lines 80]             one seed, with the story of its last steps
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { replayLine, runCampaign } from "./campaign.ts";
import type { CampaignResult } from "./campaign.ts";
import { faultNames } from "./faults.ts";
import { simulate } from "./simulation.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "2000" },
    steps: { type: "string", default: "500" },
    from: { type: "string", default: "1" },
    jobs: { type: "string", default: String(availableParallelism()) },
    seed: { type: "string" },
    lines: { type: "string", default: "60" },
  },
});

const steps = wholeNumber("steps", values.steps);

if (values.seed === undefined) await runMany();
else await runOne(wholeNumber("seed", values.seed));

async function runOne(seed: number): Promise<void> {
  const { broken, trace, stepCount } = await simulate({ seed, steps, isTraced: true });
  for (const line of trace.slice(-wholeNumber("lines", values.lines))) console.log(line);
  if (broken === undefined) {
    console.log(`Seed ${seed} kept every promise in ${stepCount} steps.`);
    return;
  }
  console.log(`Seed ${seed} broke a promise in step ${stepCount}: ${broken.promise}.\n  ${broken.detail}`);
  process.exitCode = 1;
}

async function runMany(): Promise<void> {
  const start = performance.now();
  const seeds = wholeNumber("seeds", values.seeds);
  const options = { seeds, steps, from: wholeNumber("from", values.from), jobs: wholeNumber("jobs", values.jobs) };
  const seconds = (): string => ((performance.now() - start) / 1_000).toFixed(0);
  const onProgress = (done: number, failed: number): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${seeds} seeds, ${failed} failed, ${seconds()} s `);
  };
  const result = await runCampaign({ ...options, onProgress });
  if (process.stderr.isTTY) process.stderr.write("\n");
  summarise(result);
  console.log(`${result.seeds} seeds, ${result.stepCount} steps, ${seconds()} s, ${result.failures.length} failed`);
}

function summarise({ counts, failures }: CampaignResult): void {
  const rest = [...counts.keys()].filter((name) => !(faultNames as readonly string[]).includes(name)).sort();
  for (const name of [...faultNames, ...rest]) console.log(`${String(counts.get(name) ?? 0).padStart(9)}  ${name}`);
  for (const { seed, promise, detail } of failures.slice(0, 20)) {
    console.log(`BROKEN ${promise}: ${detail.slice(0, 200)}\n  ${replayLine(seed, steps)}`);
  }
  if (failures.length > 0) process.exitCode = 1;
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new Error(`--${name} must be a whole number, not ${text}`);
}
