/** Runs what must notice a mutant, and tells who did. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { PlantedMutant } from "./planted-mutant.ts";
import { testEnvironment } from "../scenario/child-environment.ts";
import { spawnChild } from "../scenario/spawn-child.ts";

export const root = join(import.meta.dirname, "..", "..");
/** Seeds that may pass without noticing. */
export const seedsMax = 600;
/** A mutant that makes a test wait for ever is noticed by that; no promise takes this long to be kept. */
const testTimeoutMs = 60_000;

/** Who noticed, in words for the page; undefined if nobody did. */
export type Caught = { readonly by: string; readonly after: string } | undefined;

export async function catchMutant(mutant: PlantedMutant): Promise<Caught> {
  return mutant.by === "simulation" ? bySimulation(mutant) : byTests(mutant, mutant.by);
}

async function bySimulation(mutant: PlantedMutant): Promise<Caught> {
  const { output, errors, code } = await run(mutant, ["test/mutants/simulate-planted.ts", String(seedsMax)]);
  if (code !== 0) throw new Error(`"${mutant.name}" could not be simulated: ${errors}`);
  if (output === "") return undefined;
  const { seed, promise } = JSON.parse(output) as { seed: number; promise: string };
  return { by: `simulation: ${promise}`, after: seed === 1 ? "1 seed" : `${seed} seeds` };
}

/** A test that fails notices. A file that can't be loaded says nothing about any promise, so it does not count. */
async function byTests(mutant: PlantedMutant, file: string): Promise<Caught> {
  const words = ["--test-reporter=tap", `--test-timeout=${testTimeoutMs}`, file];
  // The first one is enough: others may wait for what does not come, and keep the process for minutes.
  const { output, errors, code } = await run(mutant, words, failedTest);
  const title = failedTest.exec(output)?.[1];
  if (title !== undefined) return { by: `${file}: ${title.replaceAll("\\", "")}`, after: "" };
  if (code === 0) return undefined;
  throw new Error(`"${mutant.name}" keeps ${file} from being run: ${errors.slice(-2_000)}`);
}

const failedTest = /^ *not ok \d+ - (.+?)(?: # .*)?\n/mu;

interface Ran {
  readonly output: string;
  readonly errors: string;
  readonly code: number | null;
}

/** Runs a program with the mutant in it, to its end or until it says so. */
function run(mutant: PlantedMutant, words: readonly string[], until?: RegExp): Promise<Ran> {
  const plant = pathToFileURL(join(import.meta.dirname, "plant.ts")).href;
  const child = spawnChild(process.execPath, words, {
    cwd: root,
    env: testEnvironment({
      // Compiled code is kept by the file's own text. With a mutant the text is another one.
      NODE_COMPILE_CACHE: undefined,
      HOLDFAST_MUTANT: mutant.name,
      NODE_OPTIONS: `--import=${plant}`,
    }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (until?.test(output) === true) child.kill();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ output, errors, code });
    });
  });
}
