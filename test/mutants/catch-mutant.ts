/** Runs the proof that must catch a mutant, with the mutant planted. */
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { countTable } from "../prove/counts.ts";
import { testSeeds } from "../prove/test-seeds.ts";
import type { PlantedMutant } from "./planted-mutant.ts";
import { testEnvironment } from "../scenario/child-environment.ts";
import { spawnChild } from "../scenario/spawn-child.ts";

export const root = join(import.meta.dirname, "..", "..");
/** A mutant that makes a test or a seed run forever is caught by this timeout. No promise takes this long to be kept. */
const testTimeoutMs = 60_000;

/** The promise or test that failed, in words for the page; undefined if none did. */
export type MutantCatch = { readonly by: string; readonly after: string } | undefined;

/** With the counts of the command that the mutant names, so that a mutant of `npm test` is caught by `npm test`. */
export async function catchMutant(mutant: PlantedMutant): Promise<MutantCatch> {
  return mutant.by === "simulation" ? catchBySeeds(mutant) : catchByTests(mutant, mutant.by);
}

function seedsFor({ caughtIn }: PlantedMutant): readonly number[] {
  if (caughtIn === "npm test") return testSeeds;
  return Array.from({ length: countTable.mutantSeeds.prove }, (_, index) => index + 1);
}

async function catchBySeeds(mutant: PlantedMutant): Promise<MutantCatch> {
  const args = ["test/mutants/simulate-planted.ts", JSON.stringify(seedsFor(mutant))];
  const { output, errors, code, isStalled } = await run(mutant, args);
  if (code !== 0 && !isStalled) throw new Error(`"${mutant.name}" could not be simulated: ${errors}`);
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  const { tried, promise = isStalled ? "every seed ends" : undefined } = JSON.parse(last) as SeedReport;
  if (promise === undefined) return undefined;
  return { by: `simulation: ${promise}`, after: tried === 1 ? "1 seed" : `${tried} seeds` };
}

/** A failed test catches the mutant. A file that cannot be loaded proves nothing about any promise, so it does not count. */
async function catchByTests(mutant: PlantedMutant, file: string): Promise<MutantCatch> {
  const args = ["--test-reporter=tap", `--test-timeout=${testTimeoutMs}`, file];
  // The first failure is enough: later tests may wait for what never happens, and keep the process for minutes.
  const { output, errors, code } = await run(mutant, args, failedTest);
  const title = failedTest.exec(output)?.[1];
  if (title !== undefined) return { by: `${file}: ${title.replaceAll("\\", "")}`, after: "" };
  if (code === 0) return undefined;
  throw new Error(`"${mutant.name}" prevents ${file} from being run: ${errors.slice(-2_000)}`);
}

const failedTest = /^ *not ok \d+ - (.+?)(?: # .*)?\n/mu;

/** A line of `simulate-planted.ts`: the seeds so far, and the promise that the last one broke. */
interface SeedReport {
  readonly tried: number;
  readonly promise?: string;
}

interface ProcessResult {
  readonly output: string;
  readonly errors: string;
  readonly code: number | null;
  /** It wrote nothing for too long and was killed. */
  readonly isStalled: boolean;
}

/** Runs a program with the mutant in it, to its end or until its output matches. */
function run(mutant: PlantedMutant, args: readonly string[], until?: RegExp): Promise<ProcessResult> {
  const plant = pathToFileURL(join(import.meta.dirname, "plant.ts")).href;
  const child = spawnChild(process.execPath, args, {
    cwd: root,
    env: testEnvironment({
      // Compiled code is cached by the text of the file, which is another one here.
      NODE_COMPILE_CACHE: undefined,
      HOLDFAST_REPETITION: mutant.caughtIn === "npm test" ? "test" : "prove",
      HOLDFAST_MUTANT: mutant.name,
      NODE_OPTIONS: `--import=${plant}`,
    }),
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own: servers that a killed test had started end with it.
    detached: true,
  });
  let output = "";
  let errors = "";
  let isStalled = false;
  let silence: AbortSignal;
  const boundSilence = (): void => {
    // Twice the timeout of a test, which a test process reports itself.
    const bound = AbortSignal.timeout(2 * testTimeoutMs);
    bound.addEventListener("abort", () => {
      if (bound === silence) isStalled = endGroup(child);
    });
    silence = bound;
  };
  boundSilence();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    boundSilence();
    output += text;
    if (until?.test(output) === true) endGroup(child);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ output, errors, code, isStalled });
    });
  });
}

/** Returns true if it ended a process of the group. */
function endGroup({ pid }: ChildProcess): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(-pid, "SIGKILL");
  } catch {
    // All processes of the group have ended.
    return false;
  }
}
