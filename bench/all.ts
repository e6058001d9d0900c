/** Every benchmark in one run, each in its own process, and the page that shows the results. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Row } from "./report.ts";

export interface Outcome {
  readonly bench: string;
  readonly seconds: number;
  readonly rows: readonly Row[];
  /** Why there are no rows. */
  readonly failure?: string;
}

/** A benchmark that fails does not stop the others. The page shows its failure instead of its rows. */
export async function runAll(names: readonly string[], args: readonly string[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [index, name] of names.entries()) {
    process.stderr.write(`\n${index + 1} of ${names.length}: ${name}\n`);
    outcomes.push(await runOne(name, args));
  }
  return outcomes;
}

async function runOne(bench: string, more: readonly string[]): Promise<Outcome> {
  const begin = performance.now();
  const args = [join(import.meta.dirname, "run.ts"), bench, "--json", ...more];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = (await once(child, "close")) as [number | null];
  const seconds = (performance.now() - begin) / 1_000;
  if (code !== 0) return { bench, seconds, rows: [], failure: `the benchmark ended with exit code ${String(code)}` };
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  return { bench, seconds, rows: (JSON.parse(last) as { readonly rows: readonly Row[] }).rows };
}
