import assert from "node:assert/strict";
import { test } from "node:test";
import { allPlanted, plantedInTest } from "./catalogue.ts";
import { catchMutant } from "./catch-mutant.ts";

/** `npm run prove -- mutants` tries all of them. */
for (const name of plantedInTest) {
  test(`the planted mutant "${name}" is caught`, async (t) => {
    const mutant =
      allPlanted.find((candidate) => candidate.name === name) ?? assert.fail("the catalogue does not have it");
    const caught = (await catchMutant(mutant)) ?? assert.fail(`neither seeds nor ${mutant.by} caught it`);
    t.diagnostic(`${caught.by} ${caught.after}`);
  });
}
