/** Tests of the checker of watches: on a real journal, then on wrong copies of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "holdfast";
import type { Client, JournalItem } from "holdfast";
import { historyStart } from "./history-start.ts";
import { BrokenHistory } from "./history-call.ts";
import { Watcher } from "./watcher.ts";

async function create(client: Client, id: string): Promise<void> {
  await client.run("create-entity", { type: "document", id, value: {} });
}

test("the checker of watches accepts each event once and in order, and finds a repeat, a gap and a wrong order", async () => {
  await using client = await open({ memory: true });
  const { cursor, position } = await historyStart(client);
  const watcher = new Watcher("nothing between", client, cursor);
  for (const id of ["a", "b", "c"]) await create(client, id);
  const { items } = await client.journal.list({ after: position });
  const [first, second, third] = items as readonly [JournalItem, JournalItem, JournalItem];
  assert.equal(await watcher.check(items), 3);
  await assert.rejects(watcher.check([first, third]), BrokenHistory);
  await assert.rejects(watcher.check([first, first, second]), BrokenHistory);
  await assert.rejects(watcher.check([second, first, third]), BrokenHistory);
});

test("the checker of watches compares from one position on, even if an entry is added while the history begins", async () => {
  await using client = await open({ memory: true });
  let asked = 0;
  const busy = {
    journal: client.journal,
    async cursor(): Promise<string> {
      const cursor = await client.cursor();
      if ((asked += 1) === 1) await create(client, "between");
      return cursor;
    },
  };
  const { cursor, position } = await historyStart(busy);
  const watcher = new Watcher("nothing between", client, cursor);
  await create(client, "after");
  const { items } = await client.journal.list({ after: position });
  assert.equal(await watcher.check(items), 1);
});
