import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CheckpointHeader, CheckpointRow, CheckpointStore } from "../../server/src/journal/checkpoint.ts";
import type { Head, Journal } from "../../server/src/journal/journal.ts";
import type { WithJournal } from "./journal-kind.ts";
import { appendSample } from "./sample-entries.ts";
import { counts } from "../prove/counts.ts";

/** The rows of a checkpoint, as text by key. */
export type CheckpointText = ReadonlyMap<string, string>;

/** Changes of rows: a line, or undefined for a deleted row. */
export type RowChanges = Readonly<Record<string, string | undefined>>;

const toRows = (changes: RowChanges): readonly CheckpointRow[] =>
  Object.entries(changes).map(([key, line]) => ({ table: key.slice(0, 1), key, line }));

export function headerOf(head: Head): CheckpointHeader {
  return { head, rules: 1, stateHash: `state of ${head.position}` };
}

export async function readCheckpoint(store: CheckpointStore, facts: CheckpointHeader): Promise<CheckpointText> {
  const rows: CheckpointRow[] = [];
  for await (const slice of store.rows(facts)) rows.push(...slice);
  const saved = new Map(rows.map(({ key, line }) => [key, line ?? "gone"]));
  assert.equal(saved.size, rows.length, "each row is returned once");
  return saved;
}

/** Saves changes on top of the newest checkpoint, in slices of two rows. */
export async function saveCheckpoint(
  store: CheckpointStore,
  head: Head,
  changes: RowChanges,
): Promise<CheckpointHeader> {
  const draft = await store.begin((await store.list())[0]?.head);
  assert.ok(draft !== undefined);
  const rows = toRows(changes);
  for (let start = 0; start < rows.length; start += 2) await draft.write(rows.slice(start, start + 2));
  const facts = headerOf(head);
  await draft.commit(facts);
  return facts;
}

async function nextHead(journal: Journal): Promise<Head> {
  await appendSample(journal, 2);
  return journal.head();
}

export function checkpointPromises(withJournal: WithJournal): void {
  test(
    "the newest checkpoint and the previous one can be read, also after close and open [X1]",
    withJournal(async (journal, store) => {
      assert.deepEqual(await journal.checkpoints.list(), []);
      const first = await saveCheckpoint(journal.checkpoints, await nextHead(journal), { a1: "1", a2: "2", b1: "3" });
      const second = await saveCheckpoint(journal.checkpoints, await nextHead(journal), {
        a2: undefined,
        b1: "4",
        b2: "5",
      });
      await journal.close();
      const again = await store.open();
      const { checkpoints } = again;
      assert.deepEqual(await checkpoints.list(), [second, first]);
      assert.deepEqual([...(await readCheckpoint(checkpoints, second))], Object.entries({ a1: "1", b1: "4", b2: "5" }));
      assert.deepEqual([...(await readCheckpoint(checkpoints, first))], Object.entries({ a1: "1", a2: "2", b1: "3" }));
      await again.close();
    }),
  );

  test(
    "a draft is invisible before its commit, after it was abandoned, and after a crash [X1]",
    withJournal(async (journal, store) => {
      const { checkpoints } = journal;
      const first = await saveCheckpoint(checkpoints, await nextHead(journal), { a1: "1" });
      const before = [[first], [["a1", "1"]]];
      const visible = async (): Promise<unknown> => [
        await checkpoints.list(),
        [...(await readCheckpoint(checkpoints, first))],
      ];
      const draft = await checkpoints.begin(first.head);
      await draft?.write(toRows({ a1: "2", a2: "2" }));
      assert.deepEqual(await visible(), before);
      await draft?.abandon();
      assert.deepEqual(await visible(), before);
      const second = await saveCheckpoint(checkpoints, await nextHead(journal), { a3: "3" });
      assert.deepEqual([...(await readCheckpoint(checkpoints, second))], Object.entries({ a1: "1", a3: "3" }));
      await (await checkpoints.begin(second.head))?.write(toRows({ a1: undefined, a4: "4" }));
      await store.crash(journal);
      const again = await store.open();
      assert.deepEqual(await again.checkpoints.list(), [second, first]);
      assert.deepEqual([...(await readCheckpoint(again.checkpoints, second))], Object.entries({ a1: "1", a3: "3" }));
      await again.close();
    }),
  );

  test(
    "a checkpoint can only be written on top of the newest one",
    withJournal(async (journal) => {
      const { checkpoints } = journal;
      const head = await nextHead(journal);
      assert.equal(await checkpoints.begin(head), undefined);
      const first = await saveCheckpoint(checkpoints, head, { a1: "1" });
      assert.equal(await checkpoints.begin(undefined), undefined);
      await checkpoints.clear();
      assert.deepEqual([await checkpoints.list(), await readCheckpoint(checkpoints, first)], [[], new Map()]);
      const second = await saveCheckpoint(checkpoints, await nextHead(journal), { a2: "2" });
      assert.deepEqual(await checkpoints.list(), [second]);
      assert.deepEqual([...(await readCheckpoint(checkpoints, second))], [["a2", "2"]]);
    }),
  );

  test(
    "after any sequence of saved and abandoned drafts, both checkpoints hold exactly their own rows [X1]",
    withJournal(async (journal) => {
      const { checkpoints } = journal;
      const changes = fc.dictionary(
        fc.constantFrom("a1", "a2", "a3", "b1", "b2", "b3"),
        fc.option(fc.constantFrom("1", "2", "3"), { nil: undefined }),
      );
      const step = fc.record({ changes, isGivenUp: fc.boolean() });
      const heads: Head[] = [];
      for (let index = 0; index < 20; index += 1) heads.push(await nextHead(journal));
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
          await checkpoints.clear();
          let expected: { facts: CheckpointHeader; rows: Map<string, string> }[] = [];
          for (const [index, { changes, isGivenUp }] of steps.entries()) {
            const draft = await checkpoints.begin(expected[0]?.facts.head);
            await draft?.write(toRows(changes));
            const head = heads[index];
            if (isGivenUp || head === undefined) await draft?.abandon();
            else {
              await draft?.commit(headerOf(head));
              const rows = new Map([...(expected[0]?.rows ?? []), ...(Object.entries(changes) as [string, string][])]);
              for (const [key, line] of Object.entries(changes)) if (line === undefined) rows.delete(key);
              expected = [{ facts: headerOf(head), rows }, ...expected].slice(0, 2);
            }
            assert.deepEqual(
              await checkpoints.list(),
              expected.map(({ facts }) => facts),
            );
            for (const { facts, rows } of expected) assert.deepEqual(await readCheckpoint(checkpoints, facts), rows);
          }
        }),
        { numRuns: counts.checkpointSaves },
      );
    }),
  );
}
