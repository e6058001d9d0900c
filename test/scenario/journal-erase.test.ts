import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { appendSample } from "../conformance/sample-entries.ts";
import { withFolder } from "../conformance/sqlite-folder.ts";
import { filesWith, openJournal, secretOf } from "./journal-work.ts";
import { counts } from "../prove/counts.ts";

test(
  "no file contains an erased payload, regardless of archiving before and between erasures [X1]",
  withFolder(async (base) => {
    const history = fc.record({
      sizes: fc.array(fc.constantFrom(0, 10, 300, 900, 3_000, 9_000), { minLength: 20, maxLength: 60 }),
      archives: fc.array(fc.nat({ max: 70 }), { maxLength: 3 }),
      erased: fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { minLength: 4, maxLength: 10 }),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(history, async ({ sizes, archives, erased }) => {
        const folder = `${base}-${(run += 1)}`;
        const journal = await openJournal(folder);
        for (const [index, size] of sizes.entries()) {
          const secret = secretOf(index + 1);
          await appendSample(journal, 1, () => ({ input: { secret: secret.repeat(1 + size / secret.length), size } }));
        }
        for (const to of archives) await journal.archive(to);
        const head = await journal.head();
        journal.checkpoints.begin(undefined)?.commit({ head, rules: 1, stateHash: "x" });
        for (const [index, position] of erased.entries()) {
          await journal.erase(position, head.position);
          if (index === 1) await journal.archive(Math.min(...archives) + 15);
        }
        await journal.close();
        for (const position of erased) assert.deepEqual(filesWith(folder, secretOf(position)), []);
      }),
      { numRuns: counts.erasureOrders },
    );
  }),
);

test(
  "an erasure removes the rows of older checkpoints, and rows of later checkpoints stay",
  withFolder(async (folder) => {
    const journal = await openJournal(folder);
    await appendSample(journal, 3);
    const save = async (lines: Readonly<Record<string, string | undefined>>): Promise<void> => {
      const draft = journal.checkpoints.begin(journal.checkpoints.list()[0]?.head);
      draft?.write(Object.entries(lines).map(([key, line]) => ({ table: "t", key, line })));
      draft?.commit({ head: await journal.head(), rules: 1, stateHash: "x" });
    };
    await save({ a: "once this, that is gone", b: "this stays" });
    await appendSample(journal, 1);
    await save({ a: undefined });
    await journal.erase(2, 4);
    assert.equal(journal.checkpoints.list().length, 1);
    const [newest] = journal.checkpoints.list();
    assert.ok(newest !== undefined);
    assert.deepEqual([...journal.checkpoints.rows(newest)].flat(), [{ table: "t", key: "b", line: "this stays" }]);
    await appendSample(journal, 1);
    await journal.erase(3, 5);
    assert.deepEqual(journal.checkpoints.list(), [], "the checkpoint is older than the erasure");
    await journal.close();
    assert.deepEqual(filesWith(folder, "once this"), []);
    assert.deepEqual(filesWith(folder, "this stays"), []);
  }),
);
