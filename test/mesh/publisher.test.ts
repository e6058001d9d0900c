import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../server/src/base/clock.ts";
import { EventPublisher, type EventPublisherOptions } from "../../server/src/doors/nats/event-publisher.ts";
import type { TailAddition, TailState } from "../../server/src/doors/nats/event-tail.ts";
import { natsLimits } from "../../server/src/doors/nats/nats-limits.ts";
import type { EntryFeed, FeedEntry } from "../../server/src/doors/nats/nats-door-options.ts";

/** An entry of one event. */
function entryAt(epoch: number, position: number): FeedEntry {
  const cursor = `${String(epoch)}.${String(position)}`;
  const by = { principal: "ann" };
  const event = {
    cursor,
    position,
    time: 0,
    name: "evt.note.created",
    subject: "note/1",
    data: {},
    operation: "x",
    by,
  };
  return { epoch, position, events: [event] };
}

test("a journal that went back and whose new epoch has not begun is waited for: nothing of what follows is left out [M11 X3]", async () => {
  const journal = [entryAt(1, 1), entryAt(1, 2)];
  const asked: number[] = [];
  const moved = Promise.withResolvers<undefined>();
  const waits = Promise.withResolvers<undefined>();
  async function* entries(after: number): AsyncGenerator<readonly FeedEntry[], undefined> {
    asked.push(after);
    waits.resolve(undefined);
    await moved.promise;
    const found = journal.filter(({ position }) => position > after);
    if (found.length > 0) yield found;
  }
  const feed: EntryFeed = {
    entries,
    head: () => journal.length,
    lastCommon: ({ position }) => Promise.resolve(journal.length === 2 ? position : 2),
  };
  const stop = new AbortController();
  const added: string[] = [];
  // The stream goes on to where the lost history went.
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
  });
  const running = publisher.run(() => undefined);
  await waits.promise;
  assert.deepEqual(asked, [2], "it waits for what comes next in this journal, not for the place that the stream has");
  journal.push(entryAt(2, 3), entryAt(2, 4));
  moved.resolve(undefined);
  await running;
  assert.deepEqual(added, ["2.3.0", "2.4.0"]);
});
