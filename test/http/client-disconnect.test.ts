/** Clients that hang up before their answer has begun: nothing stays open for them, and nothing is taken up. */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { CallReply } from "holdfast";
import { EventStream } from "../../server/src/doors/http/response/event-stream.ts";
import { ManualClock, loopTicks } from "../engine/manual-clock.ts";
import { readEvents } from "./event-reader.ts";
import { httpServer } from "./http-server.ts";
import { NoPages, scriptedDoor } from "./scripted-door.ts";

/** A clock on which not even the next turn comes before the test says so. */
class HeldClock extends ManualClock {
  readonly #held: (() => void)[] = [];

  override soon(callback: () => void): void {
    this.#held.push(callback);
  }

  /** What was held back comes, and so much time passes. */
  async release(durationMs: number): Promise<void> {
    for (const callback of this.#held.splice(0)) callback();
    await this.pass(durationMs);
  }
}

for (const path of ["/v1/events?after=1.1", "/v1/events", "/v1/notices?owner=ann"]) {
  test(`a reader of ${path} that leaves before its stream has begun leaves no watch behind`, async (t) => {
    const clock = new HeldClock();
    const opened: NoPages[] = [];
    const asked = Promise.withResolvers<NoPages>();
    const open = (): NoPages => {
      const pages = new NoPages();
      opened.push(pages);
      asked.resolve(pages);
      return pages;
    };
    const door = await scriptedDoor(t, clock, { watch: open, notices: open });
    const reader = await door.send(`GET ${path} HTTP/1.1\r\n\r\n`);
    const pages = await asked.promise;
    await reader.leave();
    assert.ok(pages.isOver, "it ends with the connection, and not later");
    await clock.release(250);
    assert.equal(opened.length, 1, "nobody asks again");
  });
}

test("a reader that leaves before it is known where its events begin leaves no watch behind", async (t) => {
  const asked = Promise.withResolvers<undefined>();
  const cursor = Promise.withResolvers<string>();
  const opened: NoPages[] = [];
  const door = await scriptedDoor(t, new ManualClock(), {
    cursor() {
      asked.resolve(undefined);
      return cursor.promise;
    },
    watch() {
      opened.push(new NoPages());
      return opened.at(-1)!;
    },
  });
  const reader = await door.send("GET /v1/events HTTP/1.1\r\n\r\n");
  await asked.promise;
  await reader.leave();
  cursor.resolve("1.1");
  await loopTicks(5);
  assert.ok(opened.every(({ isOver }) => isOver));
});

test("a page for a reader that has left is not waited for", async () => {
  const response = Object.assign(new EventEmitter(), { destroyed: true, write: () => false, end: () => undefined });
  const onItsWay = ["a"];
  const pages = [onItsWay, onItsWay].values();
  const stream = new EventStream<string>(response as unknown as ServerResponse, {
    pages: { next: async () => pages.next(), [Symbol.asyncIterator]: () => assert.fail("it is not looped over") },
    bytesOf: (page) => Buffer.from(page.join("")),
    clock: new ManualClock(),
  });
  await stream.run();
  assert.equal(pages.next().done, false, "nor is another one asked for");
});

test("a watch too many is refused by the status, with a cursor and without", async () => {
  await using server = await httpServer({ limits: { watchesMax: 1 } });
  const { cursor } = (await server.ask("GET", "/v1/cursor")).body;
  const reader = await readEvents(`${server.url}/v1/events`);
  for (const path of ["/v1/events", `/v1/events?after=${String(cursor)}`, "/v1/notices?owner=ann"]) {
    const { status, body } = await server.ask("GET", path);
    assert.deepEqual([status, body["code"], body["limit"]], [429, "rate_limited", "watches_max"], path);
  }
  reader.hangUp();
});

test("a watch without a cursor begins at once: no time passes, and nothing has happened", async (t) => {
  const door = await scriptedDoor(t, new ManualClock(), { watch: () => new NoPages() });
  const reader = await readEvents(`${door.url}/v1/events`);
  assert.equal(reader.lastId(), "1.1");
  reader.hangUp();
});

/** A door that is asked for a lock which others hold. What the test names is answered when it says so. */
async function askedForLock(t: TestContext, held: string) {
  const clock = new ManualClock();
  const pages = new NoPages();
  const calls: string[] = [];
  const answer = Promise.withResolvers<undefined>();
  const asked = Promise.withResolvers<undefined>();
  const door = await scriptedDoor(t, clock, {
    watch: () => pages,
    async call(operation): Promise<CallReply> {
      calls.push(operation);
      if (operation === held) {
        asked.resolve(undefined);
        await answer.promise;
      }
      // By the time it is looked at it is granted: all that is missing is somebody to take it up.
      const data = operation === "acquire-lock" ? { granted: false, ticket: "t1" } : { state: "granted", ticket: "t1" };
      return { outcome: { kind: "done", data }, position: 1, replayed: false, events: [] };
    },
  });
  const body = JSON.stringify({ paths: ["x"], owner_id: "ann", ticket_seconds: 30 });
  const headers = `Prefer: wait=60\r\nContent-Type: application/json\r\nContent-Length: ${String(body.length)}`;
  const visit = await door.send(`POST /v1/locks/acquire HTTP/1.1\r\n${headers}\r\n\r\n${body}`);
  await asked.promise;
  return { clock, calls, visit, answer: () => answer.resolve(undefined) };
}

test("a lock is not taken up for a client that hung up while the lock was asked for", async (t) => {
  const { calls, visit, answer } = await askedForLock(t, "acquire-lock");
  await visit.leave();
  answer();
  await loopTicks(5);
  assert.deepEqual(calls, ["acquire-lock"]);
});

test("a lock is not taken up, nor a sign of life given, for a client that hung up while its ticket was looked at", async (t) => {
  const { clock, calls, visit, answer } = await askedForLock(t, "get-ticket");
  await visit.leave();
  await clock.pass(30_000, 1_000);
  answer();
  await loopTicks(5);
  assert.deepEqual(calls, ["acquire-lock", "get-ticket"]);
});
