/** Entries whose keys and subjects repeat in a known pattern, and a check that an index holds them all. */
import assert from "node:assert/strict";
import type { Journal, SubjectQuery } from "../../server/src/journal/journal.ts";
import { keyScope } from "../../server/src/machine/entry.ts";
import { appendSample } from "./sample-entries.ts";

/** Subjects repeat every 7 entries, keys every 50, so every range has hits and misses. */
const subjectOf = (position: number): string => `document/${position % 7}`;
const keyOf = (position: number): string => `key-${position % 50}`;

export function scopeOf(key: string): string {
  return keyScope({ principal: "tester", operation: "acquire-lock", key })!;
}

/** Appends entries with a key, evidence and two events about a repeating subject each. */
export async function appendIndexed(journal: Journal, count: number, size: number): Promise<void> {
  for (let done = 0; done < count; done += size) {
    const { position } = await journal.head();
    await appendSample(journal, Math.min(size, count - done), (index) => {
      const subject = subjectOf(position + 1 + index);
      return {
        key: keyOf(position + 1 + index),
        evidence: { found: position + 1 + index },
        events: ["noted", "moved"].map((type) => ({ type, subject, data: {} })),
      };
    });
  }
}

/** Compares the index with the expected positions after appendIndexed. */
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

export async function find(
  journal: Journal,
  query: Partial<SubjectQuery> & { subject: string },
): Promise<readonly number[]> {
  return journal.findSubject({ order: "oldest-first", limit: 1_000_000, ...query });
}
