/** The machine against the model of undo and redo, after every command. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { counts } from "../prove/counts.ts";
import { Random } from "../simulation/random.ts";
import { codeOf, ledger } from "./programs-node.ts";
import { UndoRun } from "./undo-run.ts";

/** Number of random commands of a run. */
const commands = 120;

/** Answers that the runs must reach, or they prove nothing about them. */
const reached = [
  ...["done", "lock_required", "undo_blocked", "nothing_to_undo", "structure_locked"].map((code) => `undo ${code}`),
  ...["done", "nothing_to_undo", "undo_blocked"].map((code) => `redo ${code}`),
  ...["done", "hash_conflict", "verification_failed", "name_taken"].map((code) => `mutate ${code}`),
  ...["import done", "delete done"],
];

describe("the model of undo and redo", () => {
  test("the machine agrees with the model of undo after every command of several agents [G10 X1 X5]", async () => {
    const codes = new Set<string>();
    for (let seed = 1; seed <= counts.undoRuns; seed += 1) {
      const run = new UndoRun(new Random(seed));
      await run.run(commands).catch((error: unknown) => {
        throw new Error(`seed ${String(seed)} differs from the model`, { cause: error });
      });
      for (const name of run.codes) codes.add(name);
    }
    assert.deepEqual(
      [...reached, "erase-payload done", "erase-payload entry_in_use"].filter((name) => !codes.has(name)),
      [],
    );
  });

  test("an agent can undo its newest 100 mutations, and no older one [G10]", async () => {
    const text = (value: number): string => `pub fn one() -> i64 { ${String(value)} }`;
    const { node, ann } = await ledger([text(0)]);
    await using _ = node;
    await ann.lock(["f1"]);
    const positions: number[] = [];
    for (let value = 1; value <= 101; value += 1) {
      const { outcome } = await ann.set({ f1: text(value) });
      positions.push((outcome.data as { readonly position: number }).position);
    }
    const { undo_count } = await ann.done("programs.get-undo");
    assert.equal(undo_count, 100);
    for (const mutation of positions.slice(1).toReversed())
      assert.equal(await ann.code("programs.undo", { mutation, expected_hashes: await ann.hashes("f1") }), "done");
    const oldest = { mutation: positions[0] ?? 0, expected_hashes: await ann.hashes("f1") };
    const refused = await ann.send("programs.undo", oldest);
    assert.equal(codeOf(refused), "programs.nothing_to_undo");
    assert.match(await ann.text("f1"), /\n {2}1\n/u, "the oldest mutation stays");
  });
});
