/**
 * Runs the fuzzers for a while:
 *   npm run fuzz -- --minutes 10 --seed 1 [--only NAME]     all of them in turns, or one
 *   npm run fuzz -- --only NAME --round 4711                one round again
 */
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Progress } from "../simulation/progress.ts";
import { runRound } from "./fuzz-rounds.ts";
import type { OpenTarget } from "./fuzz-target.ts";
import { httpTarget } from "./http-target.ts";
import { targets } from "./targets.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    round: { type: "string" },
  },
});

interface Running {
  readonly name: string;
  readonly opened: OpenTarget;
  rounds: number;
}

/** How much is in use after everything that nobody needs is gone. */
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
function usedMiB(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_048_576;
}

const roundsPerTurn = 20;
/** What a long run may keep more than at its start: recent entries, compiled code, and what is known of agents. */
const growthMiBMax = 48;

async function goOn(running: readonly Running[]): Promise<void> {
  const endMs = performance.now() + Number(values.minutes) * 60_000;
  const progress = new Progress(Number(values.minutes) * 60, "s");
  let startMiB: number | undefined;
  for (let turn = 0; performance.now() < endMs; turn += 1) {
    for (const one of running) {
      const from = Number(values.seed) * 1_000_000 + one.rounds;
      for (let index = 0; index < roundsPerTurn; index += 1) await runRound(one, from + index);
      one.rounds += roundsPerTurn;
    }
    // Everything was loaded and met once: from here on nothing should grow.
    if (turn === 10) startMiB = usedMiB();
    progress.note(Math.round(progress.seconds), 0);
  }
  progress.end();
  for (const { name, rounds } of running) console.log(`${String(rounds).padStart(10)} rounds  ${name}`);
  const endMiB = usedMiB();
  console.log(
    `memory in use: ${startMiB?.toFixed(1) ?? "?"} MiB after the first turns, ${endMiB.toFixed(1)} MiB at the end`,
  );
  if (startMiB !== undefined && endMiB > startMiB + growthMiBMax) throw new Error("memory has grown");
}

const chosen = [...targets, httpTarget].filter(({ name }) => name.includes(values.only));
const running: Running[] = [];
for (const { name, open } of chosen) running.push({ name, opened: await open(), rounds: 0 });
try {
  if (values.round === undefined) await goOn(running);
  else for (const one of running) await runRound(one, Number(values.round));
} finally {
  for (const { opened } of running) await opened.close();
}
