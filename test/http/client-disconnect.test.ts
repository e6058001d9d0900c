/** Clients that disconnect before their answer begins: the server keeps no watch open and accepts no lock for them. */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { CallReply } from "holdfast";
import type { DoorCallOptions } from "../../server/src/operations/door-call-options.ts";
import { EventStream } from "../../server/src/doors/http/response/event-stream.ts";
import { ManualClock, loopTicks } from "../engine/manual-clock.ts";
import { readEvents } from "./event-reader.ts";
import { httpServer } from "./http-server.ts";
import { NoPages, scriptedDoor } from "./scripted-door.ts";

/** A clock that holds back even the callbacks of the next turn until the test releases them. */
class HeldClock extends ManualClock {
  readonly #held: (() => void)[] = [];

  override soon(callback: () => void): void {
    this.#held.push(callback);
  }

  /** Runs the held callbacks, then lets the time pass. */
  async release(durationMs: number): Promise<void> {
    for (const callback of this.#held.splice(0)) callback();
    await this.pass(durationMs);
  }
}

for (const path of ["/v1/events?after=1.1", "/v1/events", "/v1/notices?owner=ann"]) {
  test(`a client of ${path} that disconnects before its stream begins leaves no open watch`, async (t) => {
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
    assert.ok(pages.isOver, "the watch ends with the connection");
    await clock.release(250);
    assert.equal(opened.length, 1, "no other watch is opened");
  });
}

test("a client that disconnects before the start cursor of its stream is known leaves no open watch", async (t) => {
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

test("a stream to a disconnected client stops without waiting for the next page", async () => {
  const response = Object.assign(new EventEmitter(), { destroyed: true, write: () => false, end: () => undefined });
  const page = ["a"];
  const pages = [page, page].values();
  const stream = new EventStream<string>(response as unknown as ServerResponse, {
    pages: { next: async () => pages.next(), [Symbol.asyncIterator]: () => assert.fail("the stream does not iterate") },
    bytesOf: (page) => Buffer.from(page.join("")),
    clock: new ManualClock(),
  });
  await stream.run();
  assert.equal(pages.next().done, false, "the stream requests no second page");
});

test("a watch beyond the limit is refused with 429, with and without a cursor", async () => {
  await using server = await httpServer({ limits: { watchesMax: 1 } });
  const { cursor } = (await server.request("GET", "/v1/cursor")).body;
  // One watch within the limit, and one of the reserve for connections without a token.
  const readers = [await readEvents(`${server.url}/v1/events`), await readEvents(`${server.url}/v1/events`)];
  for (const path of ["/v1/events", `/v1/events?after=${String(cursor)}`, "/v1/notices?owner=ann"]) {
    const { status, body } = await server.request("GET", path);
    assert.deepEqual([status, body["code"], body["limit"]], [429, "rate_limited", "watches_max"], path);
  }
  for (const reader of readers) reader.hangUp();
});

test("a stream without a cursor begins at once, before any event and before any time passes", async (t) => {
  const door = await scriptedDoor(t, new ManualClock(), { watch: () => new NoPages() });
  const reader = await readEvents(`${door.url}/v1/events`);
  assert.equal(reader.lastId(), "1.1");
  reader.hangUp();
});

/**
 * A door that gets an acquire of a lock that another owner holds. The named operation is answered when the test calls
 * `answer`.
 */
async function doorWithAcquire(t: TestContext, held: string) {
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
      // The ticket is granted when it is read. Only the accept by the waiting request is missing.
      const data = operation === "acquire-lock" ? { granted: false, ticket: "t1" } : { state: "granted", ticket: "t1" };
      return { outcome: { kind: "done", data }, position: 1, replayed: false, events: [] };
    },
  });
  const body = JSON.stringify({ paths: ["x"], owner_id: "ann", ticket_seconds: 30 });
  const headers = `Prefer: wait=60\r\nContent-Type: application/json\r\nContent-Length: ${String(body.length)}`;
  const connection = await door.send(`POST /v1/locks/acquire HTTP/1.1\r\n${headers}\r\n\r\n${body}`);
  await asked.promise;
  return { clock, calls, connection, answer: () => answer.resolve(undefined) };
}

test("a lock is not accepted for a client that disconnects during its acquire", async (t) => {
  const { calls, connection, answer } = await doorWithAcquire(t, "acquire-lock");
  await connection.leave();
  answer();
  await loopTicks(5);
  assert.deepEqual(calls, ["acquire-lock"]);
});

test("a client that disconnects while its ticket is read gets neither an accepted lock nor a heartbeat", async (t) => {
  const { clock, calls, connection, answer } = await doorWithAcquire(t, "get-ticket");
  await connection.leave();
  await clock.pass(30_000, 1_000);
  answer();
  await loopTicks(5);
  assert.deepEqual(calls, ["acquire-lock", "get-ticket"]);
});

test("the signal of a call aborts when its client disconnects, for routes and for commands by name", async (t) => {
  const body = JSON.stringify({ fence: "1.1", owner_id: "ann" });
  const command = JSON.stringify({ operation: "release-lock", input: { fence: "1.1", owner_id: "ann" } });
  for (const [path, text] of [
    ["/v1/locks/release", body],
    ["/v1/commands", command],
  ] as const) {
    const asked = Promise.withResolvers<AbortSignal | undefined>();
    const door = await scriptedDoor(t, new ManualClock(), {
      call: (_operation, _input, options) => {
        asked.resolve((options as DoorCallOptions).hangUp?.());
        return new Promise(() => undefined);
      },
    });
    const headers = `Content-Type: application/json\r\nContent-Length: ${String(text.length)}`;
    const connection = await door.send(`POST ${path} HTTP/1.1\r\n${headers}\r\n\r\n${text}`);
    const signal = await asked.promise;
    assert.equal(signal?.aborted, false, path);
    await connection.leave();
    assert.equal(signal.aborted, true, path);
  }
});
