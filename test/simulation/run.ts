/**
 * Runs the simulation from the command line:
 *   npm run simulate -- --seeds 200000 --steps 500 --from 1 --jobs 2   many seeds, with a summary; Ctrl+C ends it early
 *   npm run simulate -- --seed 42 --steps 500 [--lines 80]             one seed, with the story of its last steps
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { replayLine, runCampaign } from "./campaign.ts";
import type { CampaignResult } from "./campaign.ts";
import { Progress } from "./progress.ts";
import { inOrder, neverHappened } from "./rare-events.ts";
import type { Failure } from "./seed-report.ts";
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
  const seeds = wholeNumber("seeds", values.seeds);
  const options = { seeds, steps, from: wholeNumber("from", values.from), jobs: wholeNumber("jobs", values.jobs) };
  const progress = new Progress(seeds, "seeds");
  const interruption = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => interruption.abort());
  const onProgress = (done: number, failed: number): void => progress.note(done, failed);
  const onFailure = ({ seed, promise }: Failure): void => console.log(`BROKEN ${promise}: ${replayLine(seed, steps)}`);
  const result = await runCampaign({ ...options, onProgress, onFailure, signal: interruption.signal });
  progress.end();
  summarise(result);
  const asked = result.seeds === seeds ? "" : ` of the ${seeds} that were asked for`;
  const counts = `${result.seeds} seeds${asked} from ${options.from}, ${result.stepCount} steps`;
  console.log(`${counts}, ${progress.seconds.toFixed(0)} s, ${result.failures.length} failed`);
}

function summarise({ tallies, failures }: CampaignResult): void {
  console.log(`${"times".padStart(11)}${"in seeds".padStart(10)}`);
  for (const name of inOrder(tallies)) {
    const { times, seeds } = tallies.get(name) ?? { times: 0, seeds: 0 };
    console.log(`${String(times).padStart(11)}${String(seeds).padStart(10)}  ${name}`);
  }
  for (const name of neverHappened(tallies)) console.log(`NEVER ${name}`);
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
