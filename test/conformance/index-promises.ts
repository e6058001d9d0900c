import assert from "node:assert/strict";
import { test } from "node:test";
import { appendIndexed, assertSubjects, find, scopeOf } from "./indexed-sample.ts";
import type { WithJournal } from "./journal-kind.ts";
import { appendSample, sampleBatch } from "./sample-entries.ts";

export function indexPromises(withJournal: WithJournal): void {
  test(
    "findKeys returns the position of the entry that used a key first [P5]",
    withJournal(async (journal) => {
      await appendSample(journal, 3, (index) => ({ key: `k${index}` }));
      await appendSample(journal, 3, (index) => ({ key: `k${index + 2}` }));
      assert.deepEqual(await journal.findKeys(["k4", "k2", "none", "k0"].map(scopeOf)), [6, 3, undefined, 1]);
      assert.deepEqual(await journal.findKeys([]), []);
    }),
  );

  test(
    "findKeys treats the same key of another principal or operation as another key [P5]",
    withJournal(async (journal) => {
      await appendSample(journal, 1, () => ({ key: "k", principal: "one" }));
      await appendSample(journal, 1, () => ({ key: "k", principal: "two" }));
      await appendSample(journal, 1, () => ({ key: "k", principal: "two", operation: "release-lock" }));
      const scopes = [
        ["two", "release-lock", "k"],
        ["two", "acquire-lock", "k"],
        ["one", "acquire-lock", "k"],
        ["one", "release-lock", "k"],
      ];
      assert.deepEqual(await journal.findKeys(scopes.map((scope) => JSON.stringify(scope))), [3, 2, 1, undefined]);
    }),
  );

  test(
    "findSubject returns the entries of a subject in both orders, within bounds and limit, each once [P5]",
    withJournal(async (journal) => {
      await appendIndexed(journal, 40, 8);
      await assertSubjects(journal, 40);
    }),
  );

  test(
    "a refused batch leaves nothing in the index",
    withJournal(async (journal) => {
      const old = await journal.head();
      await appendSample(journal, 1);
      await journal.append(sampleBatch(old, 2, () => ({ key: "ghost" })));
      assert.deepEqual(await journal.findKeys([scopeOf("ghost")]), [undefined]);
      assert.deepEqual(await find(journal, { subject: "lock/project/2" }), []);
    }),
  );
}
