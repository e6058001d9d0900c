/** Each bound of a function, a type and a mutation: the largest allowed size is accepted, and the next one is refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { languageLimits } from "../../server/src/packs/programs/language/language-limits.ts";
import { applySteps } from "../../server/src/packs/programs/language/steps/apply-steps.ts";
import type { ProgramStep } from "../../server/src/packs/programs/language/steps/step-context.ts";
import { check, changedIn, emptyProgram, hash, programOf } from "./program-fixture.ts";

const list = (length: number, item: (index: number) => string, separator = ", "): string =>
  Array.from({ length }, (_, index) => item(index)).join(separator);

const functionStep = (text: string): ProgramStep => ({ type: "add_function", text });

/** A statement `unit;` is two nodes. */
const nodes = (size: number): string =>
  `{ ${list(Math.floor(size / 2), () => "unit;", " ")} ${size % 2 === 1 ? "unit" : ""} }`;

/** Steps of a given size. */
const sized: Readonly<Record<string, (size: number) => readonly ProgramStep[]>> = {
  parameters: (size) => [functionStep(`fn f(${list(size, (index) => `p${index}: i64`)}) -> i64 { 1 }`)],
  conditions: (size) => [functionStep(`fn f(x: i64) -> i64 ${list(size, () => "requires x == x", " ")} { 1 }`)],
  functionNodes: (size) => [functionStep(`fn f() -> unit ${nodes(size)}`)],
  // The innermost value is a level of its own.
  nesting: (size) => [functionStep(`fn f() -> i64 { ${"(1 +% ".repeat(size - 1)}1${")".repeat(size - 1)} }`)],
  textCharacters: (size) => [functionStep("fn f() -> unit {}".padEnd(size, " "))],
  typeDepth: (size) => [functionStep(`fn f(x: ${"list<".repeat(size - 1)}i64${">".repeat(size - 1)}) -> unit {}`)],
  arrayLength: (size) => [functionStep(`fn f(x: [i64; ${size}]) -> unit {}`)],
  members: (size) => [{ type: "add_type", text: `struct S { ${list(size, (index) => `m${index}: i64,`, " ")} }` }],
  changedFunctions: (size) => Array.from({ length: size }, (_, index) => functionStep(`fn c${index}() -> unit {}`)),
  steps: (size) => Array.from({ length: size }, (_, index) => ({ type: "add_module", name: `m${index}` })),
  moduleDepth: (size) =>
    Array.from({ length: size - 1 }, (_, index): ProgramStep => {
      const parent = index === 0 ? "m0" : `n${index - 1}`;
      return { type: "add_module", module_id: `n${index}`, name: `n${index}`, parent };
    }),
};

/** The codes of the errors that steps get. */
function codesOf(steps: readonly ProgramStep[], program = emptyProgram()): readonly string[] {
  const { diagnostics, draft } = applySteps(program, steps, { next: { f: 1, t: 1, m: 1 }, hash });
  const found = diagnostics ?? check(draft, changedIn(draft)).verdict.errors;
  return found.map(({ code }) => code);
}

test("the largest function, type and mutation of each bound is accepted, and a larger one is refused", () => {
  for (const [name, stepsOf] of Object.entries(sized)) {
    const limit = languageLimits[name as keyof typeof languageLimits];
    assert.deepEqual(codesOf(stepsOf(limit)), [], name);
    assert.equal(codesOf(stepsOf(limit + 1))[0], "graph.limit", name);
  }
});

test("a function calls at most 500 others", () => {
  const callees = Array.from({ length: 501 }, (_, index) => `fn c${index}() -> unit {}`);
  const program = programOf(callees);
  const caller = (size: number) => [functionStep(`fn f() -> unit { ${list(size, (index) => `c${index}();`, " ")} }`)];
  assert.deepEqual(codesOf(caller(500), program), []);
  assert.deepEqual(codesOf(caller(501), program), ["graph.limit"]);
});

test("a mutation has at most 20,000 nodes and 524,288 characters, and the refusal names no step", () => {
  const large = nodes(2_000);
  const wide = `{ let x = "${"a".repeat(120_000)}"; }`;
  for (const [body, allowed] of [
    [large, 10],
    [wide, 4],
  ] as const) {
    const steps = (size: number) =>
      Array.from({ length: size }, (_, index) => functionStep(`fn f${index}() -> unit ${body}`));
    assert.deepEqual(
      codesOf(steps(allowed)).filter((code) => code !== "name.unused"),
      [],
    );
    const { diagnostics } = applySteps(emptyProgram(), steps(allowed + 1), { next: { f: 1, t: 1, m: 1 }, hash });
    assert.deepEqual(
      diagnostics?.map(({ code, step }) => [code, step]),
      [["graph.limit", undefined]],
    );
  }
});
