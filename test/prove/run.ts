/**
 * Every proof by repetition, with all of its counts (`test/prove/counts.ts`):
 *   npm run prove                         all parts, one after the other
 *   npm run prove -- simulation faults    some of them
 *   npm run prove -- --resume             without those that passed at this commit
 *   npm run prove -- --list               the parts, their counts and the time that they take
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureHostFactor } from "../../tools/host-speed.ts";
import { testEnvironment } from "../scenario/child-environment.ts";
import { spawnChild } from "../scenario/spawn-child.ts";
import { cleanCommit, passedAt, recordPassed } from "./proof-record.ts";
import { countTexts, expectedSeconds, proofParts } from "./proof-parts.ts";
import type { ProofPart } from "./proof-parts.ts";

const { values, positionals } = parseArgs({
  options: { resume: { type: "boolean", default: false }, list: { type: "boolean", default: false } },
  allowPositionals: true,
});

type PartResult = "passed" | "FAILED" | "interrupted" | "not run" | "passed before";

interface PartRow {
  readonly part: ProofPart;
  readonly expected: number;
  seconds: number;
  result: PartResult;
}

const root = join(import.meta.dirname, "..", "..");
const env = testEnvironment({
  HOLDFAST_REPETITION: "prove",
  NODE_COMPILE_CACHE: join(root, ".tmp", "compile-cache"),
});
const interruption = new AbortController();
// Ctrl+C reaches the running part as well, which ends by itself.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interruption.abort());

function chosenParts(): readonly ProofPart[] {
  const unknown = positionals.find((name) => !proofParts.some((part) => part.name === name));
  const names = proofParts.map(({ name }) => name).join(", ");
  if (unknown !== undefined) throw new Error(`There is no part ${JSON.stringify(unknown)}. The parts are ${names}.`);
  return proofParts.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
}

function runNode(words: readonly string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawnChild(process.execPath, words, { cwd: root, env, stdio: "inherit" });
    child.on("error", reject);
    child.on("close", (code) => {
      resolve(code === 0);
    });
  });
}

async function runPart(row: PartRow): Promise<PartResult> {
  const startMs = performance.now();
  let isPassed = true;
  for (const words of row.part.commands) isPassed = !interruption.signal.aborted && (await runNode(words)) && isPassed;
  row.seconds = (performance.now() - startMs) / 1_000;
  return interruption.signal.aborted ? "interrupted" : isPassed ? "passed" : "FAILED";
}

function duration(seconds: number): string {
  return seconds < 90 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(0)} min`;
}

const left = (rows: readonly PartRow[]): number =>
  rows.reduce((sum, { result, expected }) => sum + (result === "not run" ? expected : 0), 0);

function showTable(rows: readonly PartRow[]): void {
  console.log(`\n${"part".padEnd(12)}${"seconds".padStart(9)}${"expected".padStart(10)}  result`);
  for (const { part, seconds, expected, result } of rows) {
    const figures = `${seconds.toFixed(0).padStart(9)}${expected.toFixed(0).padStart(10)}`;
    const [first = "", ...more] = countTexts(part);
    console.log(`${part.name.padEnd(12)}${figures}  ${result.padEnd(15)}${first}`);
    for (const text of more) console.log(`${" ".repeat(48)}${text}`);
  }
}

const commit = cleanCommit();
if (values.resume && commit === undefined) {
  throw new Error("--resume needs a clean tree: commit or stash your changes, or run without --resume.");
}
const passedBefore = values.resume && commit !== undefined ? passedAt(commit) : new Map<string, number>();
const factor = await measureHostFactor();
const rows = chosenParts().map((part): PartRow => {
  const seconds = passedBefore.get(part.name);
  const expected = expectedSeconds(part) * factor;
  return { part, expected, seconds: seconds ?? 0, result: seconds === undefined ? "not run" : "passed before" };
});

if (!values.list) {
  for (const [index, row] of rows.entries()) {
    if (row.result !== "not run" || interruption.signal.aborted) continue;
    const expected = `about ${duration(row.expected)}, and ${duration(left(rows))} for all remaining parts`;
    console.log(`\n== ${row.part.name}, part ${index + 1} of ${rows.length}: ${expected}`);
    const result = await runPart(row);
    row.result = result;
    // Only if nothing was edited meanwhile.
    if (result === "passed" && commit !== undefined && cleanCommit() === commit) {
      recordPassed(commit, row.part.name, row.seconds);
    }
  }
}
showTable(rows);
console.log(`This host takes ${factor.toFixed(2)} times as long as the reference host.`);
if (!values.list && rows.some(({ result }) => !result.startsWith("passed"))) process.exitCode = 1;
