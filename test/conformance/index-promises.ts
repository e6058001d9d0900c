import assert from "node:assert/strict";
import { test } from "node:test";
import type { Journal, SubjectQuery } from "../../server/src/journal/journal.ts";
import { keyScope } from "../../server/src/machine/entry.ts";
import type { WithJournal } from "./journal-suite.ts";
import { appendSample, sampleBatch } from "./sample-entries.ts";

/** Subjects repeat every 7 entries, keys every 50: enough for every range to have hits and misses. */
const subjectOf = (position: number): string => `document/${position % 7}`;
const keyOf = (position: number): string => `key-${position % 50}`;

export function indexPromises(withJournal: WithJournal): void {
  test(
    "a key is found at the entry that used it first [P5]",
    withJournal(async (journal) => {
      await appendSample(journal, 3, (index) => ({ key: `k${index}` }));
      await appendSample(journal, 3, (index) => ({ key: `k${index + 2}` }));
      assert.deepEqual(await journal.findKeys(["k4", "k2", "none", "k0"].map(scopeOf)), [6, 3, undefined, 1]);
      assert.deepEqual(await journal.findKeys([]), []);
    }),
  );

  test(
    "the same key of another principal or operation is another key [P5]",
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
    "a subject's entries are found in both orders, within bounds and limit, each once [P5]",
    withJournal(async (journal) => {
      await appendIndexed(journal, 40, 8);
      await assertSubjects(journal, 40);
    }),
  );

  test(
    "a batch that was refused leaves nothing in the index",
    withJournal(async (journal) => {
      const old = await journal.head();
      await appendSample(journal, 1);
      await journal.append(sampleBatch(old, 2, () => ({ key: "ghost" })));
      assert.deepEqual(await journal.findKeys([scopeOf("ghost")]), [undefined]);
      assert.deepEqual(await find(journal, { subject: "lock/project/2" }), []);
    }),
  );
}

export function scopeOf(key: string): string {
  return keyScope({ principal: "tester", operation: "acquire-lock", key })!;
}

/** Appends entries with a key and two events about a repeating subject each. */
export async function appendIndexed(journal: Journal, count: number, size: number): Promise<void> {
  for (let done = 0; done < count; done += size) {
    const { position } = await journal.head();
    await appendSample(journal, Math.min(size, count - done), (index) => {
      const subject = subjectOf(position + 1 + index);
      return {
        key: keyOf(position + 1 + index),
        events: ["noted", "moved"].map((type) => ({ type, subject, data: {} })),
      };
    });
  }
}

/** Compares the index with the positions that appendIndexed must have led to. */
export async function assertSubjects(journal: Journal, last: number): Promise<void> {
  for (const remainder of [0, 3]) {
    const subject = `document/${remainder}`;
    const all = Array.from({ length: last }, (_, index) => index + 1).filter((position) => position % 7 === remainder);
    const middle = all[all.length >> 1]!;
    for (const [after, before] of [
      [0, last + 1],
      [middle, last + 1],
      [0, middle],
      [2, last - 2],
      [middle, middle],
    ] as const) {
      const inside = all.filter((position) => position > after && position < before);
      for (const limit of [0, 1, 3, last]) {
        const query = { subject, after, before, limit };
        assert.deepEqual(await find(journal, { ...query, order: "oldest-first" }), inside.slice(0, limit));
        assert.deepEqual(await find(journal, { ...query, order: "newest-first" }), inside.reverse().slice(0, limit));
        inside.reverse();
      }
    }
    assert.deepEqual(await find(journal, { subject }), all);
  }
  const keys = Array.from({ length: 50 }, (_, index) => `key-${index}`);
  const first = keys.map((_, index) => (index === 0 ? 50 : index)).map((at) => (at <= last ? at : undefined));
  assert.deepEqual(await journal.findKeys(keys.map(scopeOf)), first);
}

async function find(journal: Journal, query: Partial<SubjectQuery> & { subject: string }): Promise<readonly number[]> {
  return journal.findSubject({ order: "oldest-first", limit: 1_000_000, ...query });
}
