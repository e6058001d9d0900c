/** The end of the output of `npm test`: used and allowed seconds of each part, and the slowest files. */
import type { TaskResult } from "./run-task.ts";
import { allowances, budgetSeconds, margin } from "./test-budget.ts";

export interface PartUsage {
  readonly part: string;
  readonly used: number;
  /** On this host. */
  readonly allowed: number;
  readonly isOver: boolean;
}

/** Undefined seconds count as none: a process that was killed has failed anyway. */
export function usageOfParts(results: readonly TaskResult[], hostFactor: number): readonly PartUsage[] {
  const parts = Map.groupBy(results, ({ task }) => task.part);
  return [...parts].map(([part, some]) => {
    const used = some.reduce((sum, { usage }) => sum + (usage?.seconds ?? 0), 0);
    const allowed = (allowances[part] ?? 0) * hostFactor;
    return { part, used, allowed, isOver: used > allowed * (1 + margin) };
  });
}

const seconds = (value: number): string => value.toFixed(1).padStart(10);

export function usageLines(parts: readonly PartUsage[], hostFactor: number): readonly string[] {
  const rows = parts
    .toSorted((a, b) => a.part.localeCompare(b.part))
    .map(
      ({ part, used, allowed, isOver }) =>
        `${part.padEnd(14)}${seconds(used)}${seconds(allowed)}${isOver ? "  OVER" : ""}`,
    );
  const used = parts.reduce((sum, part) => sum + part.used, 0);
  return [
    `processor seconds; this host takes ${hostFactor.toFixed(2)} times as long as the reference host`,
    `${"part".padEnd(14)}${"used".padStart(10)}${"allowed".padStart(10)}`,
    ...rows,
    `${"all".padEnd(14)}${seconds(used)}${seconds(budgetSeconds * hostFactor)}`,
  ];
}

const slowestCount = 10;

export function slowestLines(results: readonly TaskResult[]): readonly string[] {
  const files = results.flatMap(({ tally }) => Object.entries(tally?.fileSeconds ?? {}));
  const slowest = files.toSorted(([, a], [, b]) => b - a).slice(0, slowestCount);
  return ["the ten slowest files, in wall seconds", ...slowest.map(([file, value]) => `${seconds(value)}  ${file}`)];
}
