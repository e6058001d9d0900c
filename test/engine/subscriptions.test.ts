import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Client, WatchedEvent } from "holdfast";
import { refusalOf } from "../api/refused-with.ts";
import { promise, promiseOnEveryStore } from "../api/with-client.ts";
import { loopTicks } from "./manual-clock.ts";
import { startNode } from "./start-node.ts";

async function take(events: AsyncIterableIterator<WatchedEvent>, count: number): Promise<WatchedEvent[]> {
  const taken: WatchedEvent[] = [];
  while (taken.length < count) {
    const next: IteratorResult<WatchedEvent, undefined> = await events.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

async function write(client: Client, from: number, to: number): Promise<void> {
  await Promise.all(
    Array.from({ length: to - from }, (_, n) => client.entities.create("document", String(from + n), {})),
  );
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

describe("subscriptions", () => {
  promiseOnEveryStore(
    "a subscription delivers existing events and then new ones, without gaps or duplicates",
    async (client) => {
      await write(client, 0, 50);
      const events = client.watch({ after: "1.0" });
      const taken = take(events, 150);
      for (let from = 50; from < 150; from += 10) await write(client, from, from + 10);
      assert.deepEqual(
        (await taken).map(({ position }) => position),
        upTo(150),
      );
    },
  );

  promise("a subscription continues from any cursor after a reconnect", async (client) => {
    await write(client, 0, 40);
    const delivered: number[] = [];
    let cursor = "1.0";
    while (delivered.length < 40) {
      const events = client.watch({ after: cursor });
      for (const event of await take(events, Math.min(7, 40 - delivered.length))) {
        delivered.push(event.position);
        cursor = event.cursor;
      }
      await events.return?.();
    }
    assert.deepEqual(delivered, upTo(40));
  });

  promise(
    "a subscription without a cursor delivers all events after the call, also those before the first read",
    async (client) => {
      await write(client, 0, 5);
      const events = client.watch();
      await write(client, 5, 7);
      assert.deepEqual(
        (await take(events, 2)).map(({ subject }) => subject),
        ["document/5", "document/6"],
      );
    },
  );

  promise("a subscription can be filtered by names and subjects", async ({ entities, watch }) => {
    const mine = watch({ subject: "document/1" });
    const changes = watch({ names: ["evt.note.changed"] });
    const notes = watch({ subject: "note/" });
    await entities.create("document", "1", {});
    await entities.create("document", "10", {});
    await entities.create("note", "1", {});
    await entities.patch("note", "1", { merge: { a: 1 } });
    await entities.delete("document", "1");
    assert.deepEqual(
      (await take(mine, 2)).map(({ name }) => name),
      ["evt.document.created", "evt.document.deleted"],
    );
    assert.deepEqual(
      (await take(changes, 1)).map(({ subject }) => subject),
      ["note/1"],
    );
    assert.deepEqual(
      (await take(notes, 2)).map(({ name }) => name),
      ["evt.note.created", "evt.note.changed"],
    );
  });

  promise("a subscription with a malformed cursor, or a cursor beyond the head, is refused", async (client) => {
    for (const after of ["", "x", "1", "0.1", "1.-1", "1.1.1"]) {
      assert.equal((await refusalOf(client.watch({ after }).next())).code, "cursor_invalid", after);
    }
    for (const after of ["1.7", "2.1"]) {
      assert.equal((await refusalOf(client.watch({ after }).next())).code, "cursor_lost", after);
    }
  });

  test("a slow subscription does not delay the others and misses no event", async () => {
    const { client } = await startNode();
    const slow = client.watch();
    const fast = take(client.watch(), 20_000);
    for (let from = 0; from < 20_000; from += 1_000) await write(client, from, from + 1_000);
    assert.deepEqual(
      (await fast).map(({ position }) => position),
      upTo(20_000),
    );
    // The slow subscription is far behind the entries in memory, so it reads from the journal.
    assert.deepEqual(
      (await take(slow, 20_000)).map(({ position }) => position),
      upTo(20_000),
    );
    await client.close();
  });

  test("a subscription ends when its node stops", async () => {
    const { client } = await startNode();
    const next = client.watch().next();
    await loopTicks(1);
    await client.close();
    assert.equal((await next).done, true);
  });
});
