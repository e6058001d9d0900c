import assert from "node:assert/strict";
import type { Client, WatchedEvent } from "holdfast";
import { promise, promiseOnEveryStore } from "./with-client.ts";
import { counts } from "../prove/counts.ts";

const names = (events: readonly WatchedEvent[]): readonly string[] => events.map(({ name }) => name);

async function take(events: AsyncIterator<WatchedEvent>, count: number): Promise<readonly WatchedEvent[]> {
  const taken: WatchedEvent[] = [];
  while (taken.length < count) {
    const next = await events.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

async function waitBehind(client: Client): Promise<void> {
  await client.operations.acquireLock({ paths: ["doc/1"], ownerId: "ann", ttlMs: 60_000 });
  await client.operations.acquireLock({ paths: ["doc/1"], ownerId: "bob", ttlMs: 60_000, wait: true });
}

promiseOnEveryStore(
  "a watch of an owner delivers the owner's grant and no events of other owners [X5]",
  async (client) => {
    const events = client.watch({ owner: "bob" });
    await waitBehind(client);
    await client.operations.acquireLock({ paths: ["doc/2"], ownerId: "eve", ttlMs: 60_000 });
    await client.locks.release({ paths: ["doc/1"] }, { ownerId: "ann" });
    const taken = await take(events, 2);
    assert.deepEqual(names(taken), ["evt.lock.queued", "evt.lock.acquired"]);
    await events.return?.();
  },
);

promise(
  "a watch of an owner that resumes from its cursor delivers missed events once, then continues",
  async (client) => {
    const before = await client.cursor();
    await waitBehind(client);
    await client.locks.release({ paths: ["doc/1"] }, { ownerId: "ann" });
    const late = client.watch({ owner: "bob", after: before });
    const [queued, acquired] = await take(late, 2);
    assert.deepEqual(names([queued!, acquired!]), ["evt.lock.queued", "evt.lock.acquired"]);
    const later = take(late, 1);
    await client.locks.release({ paths: ["doc/1"] }, { ownerId: "bob" });
    assert.deepEqual(names(await later), ["evt.lock.released"]);
    await late.return?.();
  },
);

promise("a watch of an owner that falls far behind misses no event", async (client) => {
  const events = client.watch({ owner: "bob" });
  const first = events.next();
  const rounds = counts.watchedWrites;
  for (let round = 0; round < rounds; round += 1) {
    await client.operations.acquireLock({ paths: ["doc/1"], ownerId: "bob", ttlMs: 60_000 });
    await client.locks.release({ paths: ["doc/1"] }, { ownerId: "bob" });
  }
  const taken = [(await first).value as WatchedEvent, ...(await take(events, 2 * rounds - 1))];
  const positions = taken.map(({ position }) => position);
  assert.deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(positions).size, 2 * rounds);
  await events.return?.();
});

promise("a watch of an owner ends when it is stopped, also while it waits", async (client) => {
  const events = client.watch({ owner: "bob" });
  const waiting = events.next();
  await events.return?.();
  assert.equal((await waiting).done, true);
});
