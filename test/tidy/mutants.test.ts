import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { allPlanted } from "../mutants/catalogue.ts";
import { everyMutant, namesOn, pagePath } from "../mutants/mutants-page.ts";
import { planted } from "../mutants/planted-mutant.ts";
import { root } from "./tree.ts";

test("every mutant matches source code and names a test that exists", () => {
  for (const mutant of allPlanted) {
    const text = readFileSync(join(root, mutant.file), "utf8");
    assert.notEqual(planted(mutant, text), text, mutant.name);
    assert.ok(mutant.by === "simulation" || existsSync(join(root, mutant.by)), `${mutant.name}: ${mutant.by}`);
  }
});

test("the page about mutants lists all mutants, and a test caught each", () => {
  const page = readFileSync(pagePath, "utf8");
  const names = everyMutant().map(({ name }) => name);
  assert.deepEqual(namesOn(page), names, "docs/reference/mutants.md is not up to date: run npm run mutants");
  assert.doesNotMatch(page, /\*\*nobody\*\*/u);
});

test("a mutant is refused if its text occurs never or twice in the source", () => {
  const [mutant] = allPlanted;
  assert.ok(mutant !== undefined);
  for (const text of ["", mutant.find.repeat(2)]) assert.throws(() => planted(mutant, text), /exactly once/u);
});
