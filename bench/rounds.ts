/** Contenders that are measured in turn, round after round, so that a slow minute affects all of them. */
import type { Load } from "./load.ts";
import { format, median, spread } from "./report.ts";

export interface Plan {
  readonly rounds: number;
  /** Before the first round: the code of a node gets faster for several seconds. */
  readonly warmUpMs: number;
  readonly durationMs: number;
}

/** One load for each process that takes part. */
export type Contender = (durationMs: number) => Promise<readonly Load[]>;

/** The results of each contender: for each round, the loads of its processes. */
export type Rounds<Name extends string> = Readonly<Record<Name, readonly (readonly Load[])[]>>;

export async function inTurn<Name extends string>(
  contenders: Readonly<Record<Name, Contender>>,
  { rounds, warmUpMs, durationMs }: Plan,
): Promise<Rounds<Name>> {
  const all = Object.entries<Contender>(contenders).map(([name, run]) => ({ name, run, loads: [] as Load[][] }));
  for (const { run } of all) await run(warmUpMs);
  for (let round = 0; round < rounds; round += 1) {
    for (const { run, loads } of all) loads.push([...(await run(durationMs))]);
  }
  return Object.fromEntries(all.map(({ name, loads }) => [name, loads])) as unknown as Rounds<Name>;
}

export const sum = (loads: readonly Load[]): number => loads.reduce((total, { perSecond }) => total + perSecond, 0);

/** The medians over all processes of a contender together, and of each process. */
export function describe(name: string, rounds: readonly (readonly Load[])[]): string {
  const sums = rounds.map(sum);
  const each = (rounds[0] ?? []).map((_, index) => {
    const of = (figure: keyof Load): number => median(rounds.map((loads) => loads[index]?.[figure] ?? NaN));
    return `${format(of("perSecond"))}/s p50 ${format(of("p50"), 1)} p99 ${format(of("p99"), 1)} ms`;
  });
  return `${name}: ${format(median(sums))}/s (${spread(sums)}): ${each.join(" | ")}`;
}
