/**
 * A process that holds leases and reports the heap bytes of each: `node --expose-gc bench/lease-holder.ts FOLDER`. It
 * is a separate process so that nothing else is in the heap. It collects all garbage before both measurements.
 */
import { start } from "../server/src/assembly/open.ts";
import { rawLocks } from "../test/locks/raw-acquire.ts";

const [, , folder = ""] = process.argv;
/** Large enough that noise is negligible. */
const leaseCount = 100_000;
const pageSize = 1_000;
const running = await start(folder, {});
const locks = rawLocks(running.client);

const pagesOf = (count: number) => Array.from({ length: count / pageSize }, (_, page) => page * pageSize);
const ownerOf = (index: number): string => `h${index % 256}`;

async function acquire(path: string, index: number): Promise<string> {
  const held = await locks.acquire(`${path}/${index}`, { ttlMs: 86_400_000, ownerId: ownerOf(index) });
  if (!held.granted) throw new Error(`${path}/${index} was not granted`);
  return held.fence;
}

async function cycle(index: number): Promise<void> {
  const fence = await acquire("passing", index);
  await locks.release({ fence }, { ownerId: ownerOf(index) });
}

async function inPages(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  for (const first of pagesOf(count))
    await Promise.all(Array.from({ length: pageSize }, (_, index) => work(first + index)));
}

/** The heap after the state is saved. Until then the heap also holds the list of changes that are not written yet. */
async function keptBytes(): Promise<number> {
  await running.services.engine.checkpoint();
  if (globalThis.gc === undefined)
    throw new Error("Run node with --expose-gc: without it the result would include garbage.");
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/**
 * Some memory has its own bounds, regardless of the leases: the newest entries, and 100,000 index rows before they are
 * written. These cycles fill it equally before both measurements, since the index is written once between them.
 */
const cycleCount = 24_000;

await inPages(cycleCount, cycle);
const before = await keptBytes();
await inPages(leaseCount, (index) => acquire("held", index));
const bytes = ((await keptBytes()) - before) / leaseCount;
await running.client.close();
process.send?.(bytes);
