/**
 * Everything that must hold before a change goes in: `npm test`. The checks (types, lint, format, imports) run beside the
 * tests, which wait for processes and disks about as often as they compute. The first check that fails ends the run, since
 * nothing that a test says about a program that does not compile is worth waiting for.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { testEnvironment } from "../test/scenario/child-environment.ts";

const root = join(import.meta.dirname, "..");

/**
 * What Node makes of a source file is kept and used again. Hundreds of processes load the same sources in one run, and most
 * of them would spend more time on that than on what they are started for.
 */
const env = testEnvironment({ NODE_COMPILE_CACHE: join(root, ".tmp", "compile-cache") });

/** More files at a time than there are cores, because about a third of the time is waiting. */
const filesAtOnce = availableParallelism() + 1;

interface Step {
  readonly name: string;
  readonly ended: Promise<boolean>;
  /** What it has written so far, if that was not shown at once. */
  readonly said: () => string;
  readonly stop: () => void;
}

function start(name: string, command: string, words: readonly string[], isQuiet: boolean): Step {
  const child = spawn(command, words, { cwd: root, env, stdio: isQuiet ? ["ignore", "pipe", "pipe"] : "inherit" });
  const said = isQuiet ? saidBy(child) : () => "";
  const ended = new Promise<boolean>((resolve) => {
    child.on("error", (error) => {
      console.error(`${name} could not be started: ${error.message}`);
      resolve(false);
    });
    child.on("close", (code) => {
      resolve(code === 0);
    });
  });
  return { name, ended, said, stop: () => void child.kill("SIGTERM") };
}

/** Kept, and shown in the end if the step fails: between the lines of the tests nobody would find it. */
function saidBy(child: ChildProcess): () => string {
  const parts: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => parts.push(text));
  }
  return () => parts.join("");
}

/** The first check that fails. */
async function runChecks(): Promise<Step | undefined> {
  for (const name of ["types", "lint"]) {
    const step = start(name, "npm", ["run", "--silent", name], true);
    if (!(await step.ended)) return step;
  }
  return undefined;
}

const files = ["--test", "--test-reporter=spec", `--test-concurrency=${filesAtOnce}`, "test/**/*.test.ts"];
const tests = start("tests", process.execPath, files, false);
let failedCheck: Step | undefined;
const checked = runChecks().then((failed) => {
  failedCheck = failed;
  if (failed !== undefined) tests.stop();
});
const passed = await tests.ended;
await checked;
if (failedCheck === undefined) console.log("types, lint, format and imports: as they should be");
else console.error(`\nnpm run ${failedCheck.name} failed, so the tests were stopped:\n\n${failedCheck.said()}`);
if (!passed || failedCheck !== undefined) process.exitCode = 1;
