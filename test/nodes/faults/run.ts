/**
 * Real faults on real processes:
 *   npm run faults -- --cycles 500 --seed 1
 */
import { parseArgs } from "node:util";
import { countTable } from "../../prove/counts.ts";
import { runFaults } from "./fault-run.ts";

const { values } = parseArgs({
  options: {
    cycles: { type: "string", default: String(countTable.faultCycles.prove) },
    seed: { type: "string", default: "1" },
  },
});
const cycles = wholeNumber("cycles", values.cycles);
const seed = wholeNumber("seed", values.seed);
const startMs = performance.now();
const seconds = (): string => ((performance.now() - startMs) / 1_000).toFixed(0);

try {
  const report = await runFaults({
    cycles,
    seed,
    onCycle: (cycle, name, tookMs) => {
      console.log(
        `${cycle} of ${cycles}: ${name}; all workers progressed after ${tookMs.toFixed(0)} ms (${seconds()} s)`,
      );
    },
  });
  for (const [name, count] of report.injectedCounts) console.log(`${String(count).padStart(6)}  ${name}`);
  const { median, max } = report.progressMs;
  console.log(
    `${cycles} cycles, ${report.acknowledgedCount} writes acknowledged, none lost or done twice; ` +
      `${report.publishedCount} events published, each once and in order; ` +
      `${report.lostLocks} locks were lost in use; progress after ${median.toFixed(0)} ms, at most ${max.toFixed(0)} ms`,
  );
} catch (error) {
  console.error(error);
  console.log(`BROKEN after ${seconds()} s: npm run faults -- --cycles ${cycles} --seed ${seed}`);
  process.exitCode = 1;
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new Error(`--${name} must be a whole number, not ${text}`);
}
