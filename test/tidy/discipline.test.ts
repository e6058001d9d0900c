import assert from "node:assert/strict";
import { dirname, posix } from "node:path";
import { test } from "node:test";
import { assertEachCatchesItsExample, assertNone, type Exception, linesWith, type Phrase, without } from "./phrases.ts";
import { filesUnder, type ProjectFile, projectFiles } from "./tree.ts";

/** `node --test` succeeds if its pattern matches no file, so the test counts the files. Raise these as they grow. */
const floors = { testFiles: 12, modules: 40 };

const selective: readonly Phrase[] = [
  { pattern: /\.only\(|\bonly: true\b/, why: "would silence all other tests", example: 'test.only("x", run);' },
  { pattern: /\.(skip|todo)\(\s*["'`]/, why: 'use { skip: "why" }', example: 'test.skip("x", run);' },
  { pattern: /\b(skip|todo): true\b/, why: 'give the reason: { skip: "why" }', example: "{ skip: true }" },
  { pattern: /\bt(est)?\.(skip|todo)\(\)/, why: "give the reason as the argument", example: "t.skip();" },
];

const sleeps: readonly Phrase[] = [
  { pattern: /\bset(Timeout|Interval)\b/, why: "wait for a signal or move the clock", example: "setTimeout(f, 9)" },
  { pattern: /\b(sleep|delay)\(/, why: "wait for a signal or move the clock", example: "await sleep(100);" },
  { pattern: /timers\/promises/, why: "wait for a signal or move the clock", example: '"node:timers/promises"' },
  { pattern: /Atomics\.wait\(/, why: "blocks the thread", example: "Atomics.wait(cell, 0, 0, 100);" },
];

/** Harnesses that wait for the operating system or a socket. Each needs its reason. */
const maySleep: readonly Exception[] = [
  { path: "test/tidy/discipline.test.ts", reason: "it names the forbidden words" },
  { path: "test/tidy/lint.test.ts", reason: "it plants code that the linter must refuse" },
  { path: "test/machine/purity.test.ts", reason: "it makes timers throw, to prove that no rule uses them" },
];

const tests = filesUnder("test", ".ts");
const checked = tests.filter(({ path }) => path !== "test/tidy/discipline.test.ts");

const callsTest = (text: string): boolean => /\b(test|it|suite)\(/.test(text);

/** A test file holds tests, or imports a suite that holds them. */
function holdsTest({ path, text }: ProjectFile): boolean {
  const imported = [...text.matchAll(/from "(\.[^"]+)"/g)].map((match) => posix.join(dirname(path), match[1] ?? ""));
  const suites = tests.filter((file) => imported.includes(file.path));
  return callsTest(text) || suites.some((suite) => callsTest(suite.text));
}

test("the number of test files and modules stays above its floor", () => {
  const testFiles = tests.filter(({ path }) => path.endsWith(".test.ts")).length;
  const modules = projectFiles.filter(({ path }) => /^(sdk|server)\/src\/.*\.ts$/.test(path)).length;
  assert.ok(testFiles >= floors.testFiles, `${testFiles} test files`);
  assert.ok(modules >= floors.modules, `${modules} modules`);
});

test("every test file holds a test", () => {
  const empty = tests.filter((file) => file.path.endsWith(".test.ts") && !holdsTest(file));
  assertNone(empty.map(({ path }) => path));
});

test("no test is switched off without a reason, and none switches off the others", () => {
  assertNone(linesWith(selective, checked));
});

test("no test sleeps or sets a timer", () => {
  assertNone(linesWith(sleeps, without(tests, maySleep)));
});

test("each rule about tests catches its example", () => {
  assertEachCatchesItsExample([...selective, ...sleeps]);
});
