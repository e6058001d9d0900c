/** The page and the pictures that a run of all benchmarks writes. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, platform, release, totalmem } from "node:os";
import { join } from "node:path";
import type { Outcome } from "./all.ts";
import { barChart } from "./chart.ts";
import { format, type Row, spreadText } from "./report.ts";

export interface ResultsPage {
  readonly folder: string;
  readonly isQuick: boolean;
  /** The day of the measurement. */
  readonly day: string;
  readonly versions: readonly string[];
}

export function writeResults(outcomes: readonly Outcome[], page: ResultsPage): void {
  const { folder } = page;
  mkdirSync(join(folder, "results"), { recursive: true });
  for (const { bench, rows } of outcomes) {
    const bars = rows.filter(({ goal }) => goal > 0);
    if (bars.length > 0)
      writeFileSync(join(folder, "results", `${bench}.svg`), barChart(`${bench}: ratio (goal)`, bars));
  }
  writeFileSync(
    join(folder, "results", "results.json"),
    `${JSON.stringify({ ...page, folder: undefined, outcomes })}\n`,
  );
  writeFileSync(join(folder, "RESULTS.md"), pageOf(outcomes, page));
}

/** The host of the measurement. A number means little without it. */
export function hostLines(): readonly string[] {
  const [first] = cpus();
  return [
    `${cpus().length} cores (${first?.model.trim() ?? "unknown"}), ${format(totalmem() / 2 ** 30)} GiB, ${platform()} ${release()} ${arch()}`,
    `Node ${process.versions.node}, SQLite ${process.versions["sqlite"] ?? "unknown"}`,
  ];
}

/** The installed versions of the packages that the run used. */
export function packageVersions(names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const file = join(import.meta.dirname, "..", "node_modules", name, "package.json");
    const { version } = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
    return `${name} ${version}`;
  });
}

/** The versions that the peers' servers report. They are packages of the host. */
export function serverVersions(names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const [line = ""] = execFileSync(name, ["--version"], { encoding: "utf8" }).split("\n");
    return `${name} ${/\d+(\.\d+)+/u.exec(line)?.[0] ?? line}`;
  });
}

function pageOf(outcomes: readonly Outcome[], { isQuick, day, versions }: ResultsPage): string {
  const judged = outcomes.flatMap(({ rows }) => rows).filter(({ goal }) => goal > 0);
  const met = judged.filter((row) => row.met).length;
  const parts = [
    "# Measurements",
    "",
    `Made by \`npm run bench${isQuick ? " -- --quick" : ""}\` on ${day}. ${met} of ${judged.length} goals are met. A row that misses its goal is marked.`,
    "A restated goal is shown with its first goal. Each row compares Holdfast with a peer, in the same run on the same host. On another host the",
    "numbers differ, and the ratios differ less. `rounds` has the lowest and the highest ratio, and the number of rounds. It is",
    "empty for a single measurement.",
    "",
    ...[...hostLines(), ...versions].map((line) => `- ${line}`),
    ...outcomes.flatMap(sectionOf),
  ];
  return `${parts.join("\n")}\n`;
}

/** Separate pictures, in addition to the bars. */
const curves: Readonly<Record<string, readonly string[]>> = { growth: ["growth-of-calls", "growth-of-start"] };

function sectionOf({ bench, seconds, rows, failure }: Outcome): readonly string[] {
  const head = ["", `## ${bench}`, ""];
  if (failure !== undefined) return [...head, `**The benchmark failed**: ${failure}.`];
  const names = [...(rows.some(({ goal }) => goal > 0) ? [bench] : []), ...(curves[bench] ?? [])];
  const picture = names.flatMap((name) => [`![${name}](results/${name}.svg)`, ""]);
  const lines = rows.map((row) => `| ${cellsOf(row).join(" | ")} |`);
  const table = [
    "| what | ours | peer | ratio | rounds | first goal | goal | |",
    "| --- | --: | --: | --: | --: | --: | --: | --- |",
    ...lines,
  ];
  return [...head, ...picture, ...table, "", `It took ${format(seconds)} s.`];
}

function cellsOf(row: Row): readonly string[] {
  const { name, ours, peer, ratio, goal, met } = row;
  const number = (value: number): string => format(value, Math.abs(value) < 10 ? 2 : 0);
  if (goal === 0) return [name, number(ours), "", "", "", "", "", ""];
  return [
    name,
    number(ours),
    number(peer),
    ratio.toFixed(2),
    spreadText(row),
    String(row.firstGoal ?? ""),
    String(goal),
    met ? "met" : "**missed**",
  ];
}
