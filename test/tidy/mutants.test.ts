import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { allPlanted } from "../mutants/catalogue.ts";
import { pageFault, pagePath } from "../mutants/mutants-page.ts";
import { planted } from "../mutants/planted-mutant.ts";
import { root } from "./tree.ts";

test("every mutant matches source code and names a test that exists", () => {
  for (const mutant of allPlanted) {
    const text = readFileSync(join(root, mutant.file), "utf8");
    assert.notEqual(planted(mutant, text), text, mutant.name);
    assert.ok(mutant.by === "simulation" || existsSync(join(root, mutant.by)), `${mutant.name}: ${mutant.by}`);
  }
});

test("the page about mutants lists the mutants of the catalogue, all of them caught", () => {
  assert.equal(pageFault(readFileSync(pagePath, "utf8")), undefined);
});

test("npm test is enough to catch two thirds of the mutants or more", () => {
  const inTest = allPlanted.filter(({ caughtIn }) => caughtIn === "npm test");
  assert.ok(3 * inTest.length >= 2 * allPlanted.length, `${inTest.length} of ${allPlanted.length}`);
});

test("no two mutants have the same name or the same replacement", () => {
  assert.equal(new Set(allPlanted.map(({ name }) => name)).size, allPlanted.length);
  assert.equal(new Set(allPlanted.map(({ file, find, put }) => `${file} ${find} ${put}`)).size, allPlanted.length);
});

test("a mutant is refused if its text occurs never or twice in the source", () => {
  const [mutant] = allPlanted;
  assert.ok(mutant !== undefined);
  for (const text of ["", mutant.find.repeat(2)]) assert.throws(() => planted(mutant, text), /exactly once/u);
});
