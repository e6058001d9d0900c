/**
 * Runs the simulation from the command line:
 *   npm run simulate -- --seeds 200000 --steps 500 --from 1 --threads 2   many seeds, with a summary; Ctrl+C ends it early
 *   npm run simulate -- --seed 42 --steps 500 [--lines 80]                one seed, with the trace of its last steps
 *   npm run simulate -- --choose [--seeds 1000]                           chooses the seeds of `npm test` again
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { countTable } from "../prove/counts.ts";
import { replayLine, runCampaign } from "./campaign.ts";
import type { CampaignResult } from "./campaign.ts";
import { chooseSeeds, writeSeeds } from "./choose-seeds.ts";
import { Progress } from "./progress.ts";
import { inOrder, neverHappened } from "./rare-events.ts";
import type { SeedFailure } from "./seed-report.ts";
import { simulate } from "./simulation.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    steps: { type: "string", default: String(countTable.simulationSteps.prove) },
    from: { type: "string", default: "1" },
    threads: { type: "string", default: String(availableParallelism()) },
    seed: { type: "string" },
    lines: { type: "string", default: "60" },
    choose: { type: "boolean", default: false },
  },
});

const steps = wholeNumber("steps", values.steps);

if (values.choose) await choose();
else if (values.seed === undefined) await runMany();
else await runOne(wholeNumber("seed", values.seed));

async function runOne(seed: number): Promise<void> {
  const { broken, trace, stepCount } = await simulate({ seed, steps, isTraced: true });
  const lines = wholeNumber("lines", values.lines);
  for (const line of trace.slice(Math.max(0, trace.length - lines))) console.log(line);
  if (broken === undefined) {
    console.log(`Seed ${seed} kept every promise in ${stepCount} steps.`);
    return;
  }
  console.log(`Seed ${seed} broke a promise in step ${stepCount}: ${broken.promise}.\n  ${broken.detail}`);
  process.exitCode = 1;
}

async function runMany(): Promise<void> {
  const count = wholeNumber("seeds", values.seeds ?? String(countTable.simulationSeeds.prove));
  const from = wholeNumber("from", values.from);
  const seeds = Array.from({ length: count }, (_, index) => from + index);
  const progress = new Progress(count, "seeds");
  const interruption = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => interruption.abort());
  const result = await runCampaign({
    seeds,
    steps,
    threads: wholeNumber("threads", values.threads),
    onProgress: (done, failed) => progress.note(done, failed),
    onFailure: ({ seed, promise }: SeedFailure) => console.log(`BROKEN ${promise}: ${replayLine(seed, steps)}`),
    signal: interruption.signal,
  });
  progress.end();
  summarise(result);
  const asked = result.seedCount === count ? "" : ` of ${count} requested`;
  const counts = `${result.seedCount} seeds${asked} from ${from}, ${result.stepCount} steps`;
  console.log(`${counts}, ${progress.seconds.toFixed(0)} s, ${result.failures.length} failed`);
}

function summarise({ tallies, failures }: CampaignResult): void {
  console.log(`${"times".padStart(11)}${"in seeds".padStart(10)}`);
  for (const name of inOrder(tallies)) {
    const { times, seeds } = tallies.get(name) ?? { times: 0, seeds: 0 };
    console.log(`${String(times).padStart(11)}${String(seeds).padStart(10)}  ${name}`);
  }
  const never = neverHappened(tallies);
  for (const name of never) console.log(`NEVER ${name}`);
  for (const { seed, promise, detail } of failures.slice(0, 20)) {
    console.log(`BROKEN ${promise}: ${detail.slice(0, 200)}\n  ${replayLine(seed, steps)}`);
  }
  if (failures.length > 0 || never.length > 0) process.exitCode = 1;
}

async function choose(): Promise<void> {
  const candidates = wholeNumber("seeds", values.seeds ?? "1000");
  const progress = new Progress(candidates, "seeds");
  const onProgress = (done: number): void => progress.note(done, 0);
  const { seeds, missed } = await chooseSeeds({ candidates, steps, size: 120, onProgress });
  progress.end();
  for (const name of missed) console.log(`NEVER ${name}`);
  if (missed.length > 0) {
    console.log(`${missed.length} events were not reached, so nothing was written. Try more seeds.`);
    process.exitCode = 1;
    return;
  }
  console.log(`${seeds.length} seeds, written to ${await writeSeeds(seeds)}`);
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new Error(`--${name} must be a whole number, not ${text}`);
}
