/** The judge of watches is judged, on a real journal that is then told wrong. */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { open } from "holdfast";
import type { Client, JournalItem } from "holdfast";
import { historyStart } from "./history-start.ts";
import { BrokenHistory } from "./history-call.ts";
import { Watcher } from "./watcher.ts";

async function create(client: Client, id: string): Promise<void> {
  await client.run("create-entity", { type: "document", id, value: {} });
}

suite("the judge of watches", () => {
  test("accepts what is told once and in order, and sees what is told twice or never", async () => {
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

  test("compares from one moment on, also if something happens while the history begins", async () => {
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
});
