/**
 * A process that holds leases and tells what each of them keeps in its heap: `node --expose-gc bench/lease-holder.ts
 * FOLDER`. It is a process of its own so that nothing else is in the heap, and all garbage is collected before both looks.
 */
import { start } from "../server/src/assembly/open.ts";

const [, , folder = ""] = process.argv;
/** Enough that noise vanishes. */
const leaseCount = 100_000;
const pageSize = 1_000;
const running = await start(folder, {});
const { locks } = running.client;

const pagesOf = (count: number) => Array.from({ length: count / pageSize }, (_, page) => page * pageSize);
const ownerOf = (index: number): string => `h${index % 256}`;

async function acquire(path: string, index: number): Promise<string> {
  const held = await locks.acquire(`${path}/${index}`, { ttlSeconds: 86_400, ownerId: ownerOf(index) });
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

/** What is kept, once the state is saved: until then a list of changes waits to be written, whoever made them. */
async function keptBytes(): Promise<number> {
  await running.services.engine.checkpoint();
  if (globalThis.gc === undefined) throw new Error("without --expose-gc this would count garbage");
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/**
 * Some memory has bounds of its own, whatever is held: the newest entries, and 100,000 rows of the index before they are
 * written. It is as full at the second look as at the first: the index was written once in between, and is done with it.
 */
const cycleCount = 24_000;

await inPages(cycleCount, cycle);
const before = await keptBytes();
await inPages(leaseCount, (index) => acquire("held", index));
const bytes = ((await keptBytes()) - before) / leaseCount;
await running.client.close();
process.send?.(bytes);
