/**
 * A process that holds leases and reports the heap bytes of each: `node --expose-gc bench/processes/lease-holder.ts FOLDER`. It
 * is a separate process so that nothing else is in the heap. It collects all garbage before both measurements.
 */
import { openSqliteJournal } from "../../server/src/journal/sqlite/open.ts";
import { startEngine } from "../../server/src/assembly/open.ts";
import type { JsonObject } from "../../sdk/src/json/json.ts";

const [, , folder = ""] = process.argv;
const pageSize = 1_024;
/** Large enough that noise is negligible. */
const leaseCount = 100 * pageSize;
/**
 * Index rows that wait to be written have their own bound, regardless of the leases. By default it is so high that their
 * number at the moment of a measurement would change the result by a tenth.
 */
const tailRows = 1_000;
const journal = await openSqliteJournal({ folder, startedAt: "now", tailRows });
const engine = await startEngine({ journal });
let callCount = 0;

async function call(operation: string, owner: string, input: JsonObject): Promise<JsonObject> {
  callCount += 1;
  const key = `00000000-0000-4000-8000-${String(callCount).padStart(12, "0")}`;
  const request = { operation, input: { owner_id: owner, ...input }, principal: "anonymous", caller: owner };
  const { outcome } = await engine.execute({ ...request, bytes: 100, key });
  if (outcome.kind === "refusal") throw new Error(`${operation}: ${outcome.code}`);
  return outcome.data;
}

const pagesOf = (count: number) => Array.from({ length: count / pageSize }, (_, page) => page * pageSize);
const ownerOf = (index: number): string => `h${index % 256}`;

async function acquire(path: string, index: number): Promise<string> {
  const paths = [`${path}/${index}`];
  const { fence } = await call("acquire-lock", ownerOf(index), { paths, ttl_seconds: 86_400 });
  return fence as string;
}

async function cycle(index: number): Promise<void> {
  await call("release-lock", ownerOf(index), { fence: await acquire("passing", index) });
}

async function inPages(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  for (const first of pagesOf(count))
    await Promise.all(Array.from({ length: pageSize }, (_, index) => work(first + index)));
}

/** The heap after the state is saved. Until then the heap also holds the list of changes that are not written yet. */
async function keptBytes(): Promise<number> {
  await engine.checkpoint();
  if (globalThis.gc === undefined)
    throw new Error("Run node with --expose-gc: without it the result would include garbage.");
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/**
 * The newest entries stay in memory: between one and two times their bound, which is four pages. These cycles fill it, and
 * all counts are multiples of the bound, so that as many entries stay at both measurements.
 */
const cycleCount = 24 * pageSize;

await inPages(cycleCount, cycle);
const before = await keptBytes();
await inPages(leaseCount, (index) => acquire("held", index));
await inPages(cycleCount, cycle);
const bytes = ((await keptBytes()) - before) / leaseCount;
await engine.stop();
process.send?.(bytes);
