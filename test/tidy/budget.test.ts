import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { allowances, budgetSeconds } from "../../tools/test-budget.ts";
import { planTests } from "../../tools/test-plan.ts";
import { proofParts } from "../prove/proof-parts.ts";

test("every part of npm test has an allowance, and every allowance has a part", () => {
  const parts = new Set(planTests(allowances).map(({ part }) => part));
  assert.deepEqual([...parts].sort(), Object.keys(allowances).sort());
});

test("the allowances of all parts fit into the budget of npm test", () => {
  const sum = Object.values(allowances).reduce((total, seconds) => total + seconds, 0);
  assert.ok(sum <= budgetSeconds, `${sum} of ${budgetSeconds} processor seconds`);
});

test("every test file is in exactly one process of npm test", () => {
  const files = planTests(allowances).flatMap(({ args: words }) => words.filter((word) => word.endsWith(".test.ts")));
  assert.ok(files.length > 100, String(files.length));
  assert.equal(new Set(files).size, files.length);
});

test("every file that the proof names exists", () => {
  const files = proofParts.flatMap(({ commands }) => commands.flat()).filter((word) => /^test\/.*\.ts$/u.test(word));
  assert.ok(files.length > 20, String(files.length));
  assert.deepEqual(
    files.filter((file) => !existsSync(file)),
    [],
  );
});
