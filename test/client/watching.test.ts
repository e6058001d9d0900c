import assert from "node:assert/strict";
import type { Client, WatchedEvent } from "holdfast";
import { onEveryTransport } from "./every-transport.ts";

const placeOf = ({ position, name, subject }: WatchedEvent): string => `${position} ${name} ${subject}`;

/** Writes entries of several events each, and entries of one event. */
async function work(client: Client): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await client.operations.acquireLock({ paths: ["a", "b", "c"], ownerId: "ann", ttlMs: 30_000 });
    await client.locks.release({ paths: ["a", "b", "c"] }, { ownerId: "ann" });
    await client.entities.create("doc", String(round), {});
  }
}

/** The positions of the requested events and of all events up to the last one of `work`. */
async function upToLast(events: AsyncIterator<WatchedEvent>, asked: readonly Promise<Next>[] = []): Promise<string[]> {
  const places: string[] = [];
  for (const next of asked) places.push(placeOf((await next).value as WatchedEvent));
  while (!places.some((place) => place.endsWith(" doc/2"))) {
    places.push(placeOf((await events.next()).value as WatchedEvent));
  }
  return places;
}

type Next = IteratorResult<WatchedEvent>;

onEveryTransport("a watcher that requests several events at once gets each once and in order", async (client) => {
  const after = await client.cursor();
  const events = client.watch({ after });
  const ahead = Array.from({ length: 5 }, () => events.next());
  await work(client);
  const oneByOne = await upToLast(client.watch({ after }));
  assert.equal(oneByOne.length, 21);
  assert.deepEqual(await upToLast(events, ahead), oneByOne);
});

onEveryTransport("a watcher that stops ends all its pending requests for events", async (client) => {
  const events = client.watch({ after: await client.cursor() });
  const waiting = [events.next(), events.next()];
  await events.return?.();
  await client.entities.create("doc", "late", {});
  assert.deepEqual(
    (await Promise.all(waiting)).map(({ done }) => done),
    [true, true],
  );
});
