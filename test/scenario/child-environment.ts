/**
 * The environment of the processes that tests start. It is the same on every machine. A HOLDFAST_URL, a PGHOST or a
 * home folder of the user would lead a test to a server that is not its own.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

type Variables = Readonly<Record<string, string | undefined>>;

/** Where programs and temporary files are, and what the runner collects from every process. */
const inherited = /^(PATH|TMPDIR|NODE_COMPILE_CACHE|NODE_V8_COVERAGE)$/u;

/** In a run with a mutant the children load it, too: see test/mutants/plant.ts. */
const ofMutants = /^(HOLDFAST_MUTANT|NODE_OPTIONS)$/u;

/** Caches, registries, proxies and authorities of npm and apt-get. */
const ofDownloads =
  /^(npm_config_(registry|userconfig|cache|cafile|.*proxy)|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/iu;

/** Whether the output has colours. */
const ofTerminals = /^(TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CI)$/u;

/** Set by a user, or by `npm run prove`, for a run of the tests: see CONTRIBUTING.md. */
const ofTests = /^HOLDFAST_(TEST_POSTGRES|SEED|REPETITION)$/u;

/** For a process that a test starts. Its home is an empty folder. */
export function childEnvironment(more: Variables = {}, from: Variables = process.env): NodeJS.ProcessEnv {
  const planted = from["HOLDFAST_MUTANT"] === undefined ? {} : chosen(from, ofMutants);
  return { ...chosen(from, inherited), ...planted, HOME: emptyHome(), ...more };
}

/** For npm, git and apt-get, which need what the user has set up for them. npm finds its cache by the home folder. */
export function downloadEnvironment(more: Variables = {}, from: Variables = process.env): NodeJS.ProcessEnv {
  return childEnvironment({ ...chosen(from, ofDownloads, /^HOME$/u), ...more }, from);
}

/** For the process that runs the test files. */
export function testEnvironment(more: Variables = {}, from: Variables = process.env): NodeJS.ProcessEnv {
  return childEnvironment({ ...chosen(from, ofDownloads, ofTerminals, ofTests), ...more }, from);
}

function chosen(from: Variables, ...names: readonly RegExp[]): Variables {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.some((pattern) => pattern.test(name))));
}

let home: string | undefined;

function emptyHome(): string {
  if (home !== undefined) return home;
  const made = mkdtempSync(join(tmpdir(), "holdfast-home-"));
  process.once("exit", () => {
    rmSync(made, { recursive: true, force: true });
  });
  home = made;
  return made;
}
