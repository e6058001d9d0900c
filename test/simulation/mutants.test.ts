import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { mutants } from "./mutants.ts";
import { simulate } from "./simulation.ts";

/** So many seeds are enough to notice each of them; the whole campaign has many times more. */
const seedsMax = 300;
const steps = 500;

suite("the simulation notices that", () => {
  for (const [name, mutant] of Object.entries(mutants)) {
    test(name, async (t) => {
      for (let seed = 1; seed <= seedsMax; seed += 1) {
        const { broken } = await simulate({ seed, steps, mutant });
        if (broken === undefined) continue;
        t.diagnostic(`seed ${seed}: ${broken.promise}`);
        return;
      }
      assert.fail(`${seedsMax} seeds did not notice it`);
    });
  }
});

test("without a mutant the same seeds keep every promise", async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { broken } = await simulate({ seed, steps });
    assert.equal(broken, undefined);
  }
});
