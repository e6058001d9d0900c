import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../server/src/base/clock.ts";
import { EventPublisher, type EventPublisherOptions } from "../../server/src/doors/nats/event-publisher.ts";
import type { TailAddition, TailState } from "../../server/src/doors/nats/event-tail.ts";
import { natsLimits } from "../../server/src/doors/nats/nats-limits.ts";
import type { EntryFeed, FeedEntry } from "../../server/src/doors/nats/nats-door-options.ts";

/** An entry with one event. */
function entryAt(epoch: number, position: number): FeedEntry {
  const cursor = `${String(epoch)}.${String(position)}`;
  const by = { principal: "ann" };
  const event = {
    cursor,
    position,
    time: "1970-01-01T00:00:00.000Z",
    name: "evt.note.created",
    subject: "note/1",
    data: {},
    operation: "x",
    by,
  };
  return { epoch, position, events: [event] };
}

test("the publisher waits for the new epoch of a rolled back journal, so that it omits no event [M11 X3]", async () => {
  const journal = [entryAt(1, 1), entryAt(1, 2)];
  const readAfter: number[] = [];
  const appended = Promise.withResolvers<undefined>();
  const waiting = Promise.withResolvers<undefined>();
  async function* entries(after: number): AsyncGenerator<readonly FeedEntry[], undefined> {
    readAfter.push(after);
    waiting.resolve(undefined);
    await appended.promise;
    const found = journal.filter(({ position }) => position > after);
    if (found.length > 0) yield found;
  }
  const feed: EntryFeed = {
    entries,
    head: () => journal.length,
    lastCommon: ({ position }) => Promise.resolve(journal.length === 2 ? position : 2),
    isErased: () => Promise.resolve(false),
    epochAt: () => Promise.resolve(1),
  };
  const stop = new AbortController();
  const added: string[] = [];
  // The stream contains events of the lost history.
  let state: TailState = { sequence: 5, published: { epoch: 1, position: 5, index: 0 }, isWhole: true };
  const tail = {
    get state() {
      return state;
    },
    refresh: () => Promise.resolve(state),
    add(additions: readonly TailAddition[]) {
      added.push(...additions.map(({ id }) => id));
      state = { ...state, sequence: state.sequence + additions.length, published: additions.at(-1)?.eventPosition };
      if (added.length >= 2) stop.abort();
      return Promise.resolve();
    },
  } as unknown as EventPublisherOptions["tail"];
  const publisher = new EventPublisher({
    ...{ tail, feed, clock: systemClock, limits: natsLimits, publishAfter: undefined, rank: 0, stop: stop.signal },
    bytesMax: () => 1_000_000,
    newId: () => "id",
    onPublished: () => undefined,
    onErasures: () => undefined,
  });
  const running = publisher.run(() => undefined);
  await waiting.promise;
  assert.deepEqual(readAfter, [2], "it waits for the next entry of this journal, not for the position of the stream");
  journal.push(entryAt(2, 3), entryAt(2, 4));
  appended.resolve(undefined);
  await running;
  assert.deepEqual(added, ["2.3.0", "2.4.0"]);
});

test("an event of an erased entry is not published again for a repeated command [M4 X14]", async () => {
  const added: string[] = [];
  const state: TailState = { sequence: 5, published: { epoch: 1, position: 5, index: 0 }, isWhole: true };
  const tail = {
    ...{ state, refresh: () => Promise.resolve(state) },
    add(additions: readonly TailAddition[]) {
      added.push(...additions.map(({ message }) => message.headers["Holdfast-Position"] ?? ""));
      return Promise.resolve();
    },
  } as unknown as EventPublisherOptions["tail"];
  const feed = { isErased: (position: number) => Promise.resolve(position === 3) } as unknown as EntryFeed;
  const publisher = new EventPublisher({
    ...{ tail, feed, clock: systemClock, limits: natsLimits, publishAfter: undefined, rank: 0 },
    ...{ stop: new AbortController().signal, bytesMax: () => 1_000_000, newId: () => "id" },
    ...{ onPublished: () => undefined, onErasures: () => undefined },
  });
  for (const position of [2, 3, 4]) await publisher.repeat({ name: "evt.note.created", data: {} }, position);
  assert.deepEqual(added, ["2", "4"]);
});
