import assert from "node:assert/strict";
import type { Client, WatchedEvent } from "holdfast";
import { everyWay } from "./every-way.ts";

const placeOf = ({ position, name, subject }: WatchedEvent): string => `${position} ${name} ${subject}`;

/** What happens here: entries of several events each, and of one. */
async function work(client: Client): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await client.locks.acquire(["a", "b", "c"], { ownerId: "ann", ttlSeconds: 30 });
    await client.locks.release({ paths: ["a", "b", "c"] }, { ownerId: "ann" });
    await client.entities.create("doc", String(round), {});
  }
}

/** The places of those that were asked for, and of all up to the last one that `work` leads to. */
async function upToLast(events: AsyncIterator<WatchedEvent>, asked: readonly Promise<Next>[] = []): Promise<string[]> {
  const places: string[] = [];
  for (const next of asked) places.push(placeOf((await next).value as WatchedEvent));
  while (!places.some((place) => place.endsWith(" doc/2"))) {
    places.push(placeOf((await events.next()).value as WatchedEvent));
  }
  return places;
}

type Next = IteratorResult<WatchedEvent>;

everyWay(
  "whoever asks for several events at once gets each once and in order, as if asked one by one",
  async (client) => {
    const after = await client.cursor();
    const events = client.watch({ after });
    const ahead = Array.from({ length: 5 }, () => events.next());
    await work(client);
    const oneByOne = await upToLast(client.watch({ after }));
    assert.equal(oneByOne.length, 21);
    assert.deepEqual(await upToLast(events, ahead), oneByOne);
  },
);

everyWay("whoever stops watching ends every question that waits for an event", async (client) => {
  const events = client.watch({ after: await client.cursor() });
  const waiting = [events.next(), events.next()];
  await events.return?.();
  await client.entities.create("doc", "late", {});
  assert.deepEqual(
    (await Promise.all(waiting)).map(({ done }) => done),
    [true, true],
  );
});
