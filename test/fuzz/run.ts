/**
 * Runs the fuzz targets:
 *   npm run fuzz                                            each with the rounds of test/prove/counts.ts
 *   npm run fuzz -- --minutes 10 --seed 1 [--only NAME]     in turns for some time, all of them or one
 *   npm run fuzz -- --only NAME --round 4711                one round again
 */
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { countTable } from "../prove/counts.ts";
import { Progress } from "../simulation/progress.ts";
import { runRound } from "./fuzz-rounds.ts";
import type { OpenTarget } from "./fuzz-target.ts";
import { httpTarget } from "./http-target.ts";
import { targets } from "./targets.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    round: { type: "string" },
  },
});

interface FuzzedTarget {
  readonly name: string;
  readonly opened: OpenTarget;
  readonly roundsPerTurn: number;
  rounds: number;
}

/** The targets run in turns, so that each meets the memory that the others have used. */
const turnCount = 100;
const roundsPerTimedTurn = 20;

/** Memory in use after a garbage collection. */
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
function usedMiB(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_048_576;
}

/** Maximum growth of the memory in use: recent entries, compiled code, and what is known of agents. */
const growthMiBMax = 48;

async function runTurns(fuzzed: readonly FuzzedTarget[], isOver: (turn: number) => boolean): Promise<void> {
  let startMiB: number | undefined;
  for (let turn = 0; !isOver(turn); turn += 1) {
    for (const target of fuzzed) {
      const from = Number(values.seed) * 1_000_000 + target.rounds;
      for (let index = 0; index < target.roundsPerTurn; index += 1) await runRound(target, from + index);
      target.rounds += target.roundsPerTurn;
    }
    // After ten turns everything is loaded and has run, so nothing should grow.
    if (turn === 10) startMiB = usedMiB();
  }
  for (const { name, rounds } of fuzzed) console.log(`${String(rounds).padStart(10)} rounds  ${name}`);
  const endMiB = usedMiB();
  const start = startMiB?.toFixed(1) ?? "?";
  console.log(`memory in use: ${start} MiB after the first turns, ${endMiB.toFixed(1)} MiB at the end`);
  if (startMiB !== undefined && endMiB > startMiB + growthMiBMax) throw new Error("the memory in use has grown");
}

/** Ends after the minutes that were asked for, or else after the rounds of `npm run prove`. */
async function runAll(fuzzed: readonly FuzzedTarget[]): Promise<void> {
  const seconds = values.minutes === undefined ? undefined : Number(values.minutes) * 60;
  const progress = new Progress(seconds ?? turnCount, seconds === undefined ? "turns" : "s");
  await runTurns(fuzzed, (turn) => {
    const done = seconds === undefined ? turn : progress.seconds;
    progress.note(Math.round(done), 0);
    return done >= (seconds ?? turnCount);
  });
  progress.end();
}

const fuzzed: FuzzedTarget[] = [];
for (const { name, rounds, open } of [...targets, httpTarget].filter((target) => target.name.includes(values.only))) {
  const roundsPerTurn =
    values.minutes === undefined ? Math.ceil(countTable[rounds].prove / turnCount) : roundsPerTimedTurn;
  fuzzed.push({ name, opened: await open(), roundsPerTurn, rounds: 0 });
}
try {
  if (values.round === undefined) await runAll(fuzzed);
  else for (const target of fuzzed) await runRound(target, Number(values.round));
} finally {
  for (const { opened } of fuzzed) await opened.close();
}
