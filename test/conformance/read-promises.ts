import assert from "node:assert/strict";
import { test } from "node:test";
import { type Head, JournalError } from "../../server/src/journal/journal.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import type { WithJournal } from "./journal-kind.ts";
import { appendSample, everything } from "./sample-entries.ts";

export function readPromises(withJournal: WithJournal): void {
  test(
    "a read can start after any position, also inside a batch",
    withJournal(async (journal) => {
      const entries = [...(await appendSample(journal, 5)), ...(await appendSample(journal, 1))];
      entries.push(...(await appendSample(journal, 4)));
      for (let after = 0; after <= 10; after += 1) {
        assert.deepEqual(await journal.read(after, everything), entries.slice(after));
      }
      assert.deepEqual(await journal.read(99, everything), []);
    }),
  );

  test(
    "a page has at most the requested number of entries, across batches, and successive pages miss no entry",
    withJournal(async (journal) => {
      const entries: Entry[] = [];
      for (const count of [3, 1, 4, 2]) entries.push(...(await appendSample(journal, count)));
      for (const size of [1, 2, 3, 4, 7, 10, 11]) {
        const read: Entry[] = [];
        for (let done = false; !done;) {
          const page = await journal.read(read.length, { entries: size, bytes: everything.bytes });
          assert.equal(page.length, Math.min(size, entries.length - read.length));
          read.push(...page);
          done = page.length === 0;
        }
        assert.deepEqual(read, entries);
      }
    }),
  );

  test(
    "a page stays within its byte limit, but has at least one entry if there is one",
    withJournal(async (journal) => {
      const entries = await appendSample(journal, 6, () => ({ input: "✨".repeat(1000) }));
      const bytes = 3000 + 500;
      for (const limit of [0, 1, bytes]) {
        assert.deepEqual(await journal.read(0, { entries: 100, bytes: limit }), entries.slice(0, 1));
      }
      assert.deepEqual(await journal.read(1, { entries: 100, bytes: 3 * bytes }), entries.slice(1, 4));
      assert.deepEqual(await journal.read(0, { entries: 0, bytes: 1 }), entries.slice(0, 1));
    }),
  );

  test(
    "follow returns whole batches after a head, and the head that they lead to",
    withJournal(async (journal) => {
      const heads = [await journal.head()];
      const entries: Entry[] = [];
      for (const count of [3, 1, 4]) {
        entries.push(...(await appendSample(journal, count)));
        heads.push(await journal.head());
      }
      const [start, three, four, eight] = heads as [Head, Head, Head, Head];
      const follow = async (after: Head, count: number, bytes: number): Promise<unknown> => {
        const followed = await journal.follow(after, { entries: count, bytes });
        if (followed.kind === "diverged") return followed;
        const { isLast, ...page } = followed;
        assert.ok(isLast === undefined || page.head.position === 8, "only the last page has isLast");
        return page;
      };
      const all = { kind: "followed", entries, head: eight };
      assert.deepEqual(await follow(start, 1e6, 1e9), all);
      assert.deepEqual(await follow(start, 5, 1e9), all);
      const first = { kind: "followed", entries: entries.slice(0, 3), head: three };
      assert.deepEqual(await follow(start, 1, 1e9), first);
      assert.deepEqual(await follow(start, 99, 1), first);
      assert.deepEqual(await follow(three, 1, 1e9), { kind: "followed", entries: entries.slice(3, 4), head: four });
      assert.deepEqual(await follow(eight, 99, 1e9), { kind: "followed", entries: [], head: eight });
    }),
  );

  test(
    "follow returns diverged for a head with another hash, inside a batch, or beyond the end",
    withJournal(async (journal) => {
      await appendSample(journal, 3);
      await appendSample(journal, 1);
      const head = await journal.head();
      for (const lost of [
        { ...head, hash: "f".repeat(64) },
        { ...head, position: 3 },
        { ...head, position: 2 },
        { ...head, position: 9 },
        { position: 0, hash: "e".repeat(64), time: 0 },
      ]) {
        assert.deepEqual(await journal.follow(lost, everything), { kind: "diverged" });
      }
    }),
  );

  test(
    "readAt returns entries in the order of the requested positions, including repeated ones",
    withJournal(async (journal) => {
      const entries = [...(await appendSample(journal, 3)), ...(await appendSample(journal, 3))];
      const positions = [6, 1, 4, 1, 3];
      assert.deepEqual(
        await journal.readAt(positions),
        positions.map((position) => entries[position - 1]),
      );
      assert.deepEqual(await journal.readAt([]), []);
    }),
  );

  test(
    "readAt throws for a position without an entry instead of omitting it",
    withJournal(async (journal) => {
      await appendSample(journal, 2);
      for (const position of [0, -1, 3]) {
        await assert.rejects(
          journal.readAt([1, position]),
          (error: unknown) => error instanceof JournalError && error.code === "invalid",
        );
      }
    }),
  );

  test(
    "every string is read as it was written: emoji, escapes, newlines, NUL, lone surrogates, prototype names",
    withJournal(async (journal) => {
      const odd = 'a\nb\r\n"c"\\ \u0000\u001f\u2028\u2029 👩‍👩‍👧 \ud800 é \u007f';
      const data = {
        [odd]: odd,
        q: { [odd]: [], "a\n": [[], {}] },
        ...(JSON.parse('{"__proto__": {"x": [1e21, 9007199254740993, -1.5, 1e-7, true, false, null]}}') as object),
      } as never;
      const [written] = await appendSample(journal, 1, () => ({
        id: odd,
        operation: odd,
        principal: odd,
        agent: odd,
        key: odd,
        input: [odd, data],
        evidence: [data, odd],
        grace: true,
        outcome: { kind: "refusal", code: odd, data },
        events: [
          { type: odd, subject: odd, data },
          { type: "", subject: "", data: {} },
        ],
      }));
      assert.deepEqual(await journal.read(0, everything), [written]);
      assert.deepEqual(await journal.findSubject({ subject: odd, order: "oldest-first", limit: 9 }), [1]);
      assert.deepEqual(await journal.findKeys([JSON.stringify([odd, odd, odd])]), [1]);
    }),
  );

  test(
    "an entry without agent, key or evidence is read without them",
    withJournal(async (journal) => {
      await appendSample(journal, 1);
      const [entry] = await journal.read(0, everything);
      assert.deepEqual(
        ["agent", "key", "evidence"].map((member) => Object.hasOwn(entry as object, member)),
        [false, false, false],
      );
    }),
  );
}
