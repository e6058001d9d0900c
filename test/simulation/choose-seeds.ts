/** Chooses the seeds of `npm test`: the smallest set that reaches every required event, and some more. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mustHappen } from "./rare-events.ts";
import { simulate } from "./simulation.ts";

/**
 * Number of chosen seeds that reach each event, if there are as many candidates. So most changes of the code, which
 * change the course of every seed, leave the list valid.
 */
const seedsPerEvent = 3;

export interface SeedChoice {
  /** Tries the seeds from 1 to this one. */
  readonly candidates: number;
  readonly steps: number;
  /** The list is filled up to this length with the lowest seeds: bugs are not only where events are rare. */
  readonly size: number;
  readonly onProgress: (done: number) => void;
}

export interface ChosenSeeds {
  readonly seeds: readonly number[];
  /** Events that no candidate reached. */
  readonly missed: readonly string[];
}

export async function chooseSeeds({ candidates, steps, size, onProgress }: SeedChoice): Promise<ChosenSeeds> {
  const reached = new Map<number, readonly string[]>();
  for (let seed = 1; seed <= candidates; seed += 1) {
    const { counts } = await simulate({ seed, steps });
    reached.set(
      seed,
      mustHappen.filter((name) => counts.has(name)),
    );
    onProgress(seed);
  }
  const chosen = cover(reached);
  for (let seed = 1; chosen.size < size && seed <= candidates; seed += 1) chosen.add(seed);
  const seen = new Set([...reached.values()].flat());
  return { seeds: [...chosen].sort((a, b) => a - b), missed: mustHappen.filter((name) => !seen.has(name)) };
}

/** Greedy: always takes the seed that reaches the most missing events. */
function cover(reached: ReadonlyMap<number, readonly string[]>): Set<number> {
  const missing = new Map<string, number>();
  for (const names of reached.values()) {
    for (const name of names) missing.set(name, Math.min(seedsPerEvent, (missing.get(name) ?? 0) + 1));
  }
  const chosen = new Set<number>();
  const gain = (seed: number): number =>
    chosen.has(seed) ? 0 : (reached.get(seed) ?? []).filter((name) => (missing.get(name) ?? 0) > 0).length;
  for (;;) {
    const best = [...reached.keys()].reduce((a, b) => (gain(b) > gain(a) ? b : a));
    if (gain(best) === 0) return chosen;
    chosen.add(best);
    for (const name of reached.get(best) ?? []) missing.set(name, (missing.get(name) ?? 0) - 1);
  }
}

const file = join(import.meta.dirname, "..", "prove", "test-seeds.ts");

const head = `/**
 * The seeds of the simulation that are part of \`npm test\`. Together they reach every fault, command, reply and event of
 * \`test/simulation/rare-events.ts\`. Written by \`npm run simulate -- --choose\`.
 */
// oxfmt-ignore
export const testSeeds: readonly number[] = [
`;

export async function writeSeeds(seeds: readonly number[]): Promise<string> {
  const rows = Array.from({ length: Math.ceil(seeds.length / 20) }, (_, row) =>
    seeds.slice(row * 20, row * 20 + 20).join(", "),
  );
  await writeFile(file, `${head}${rows.map((row) => `  ${row},\n`).join("")}];\n`);
  return file;
}
