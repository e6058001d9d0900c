/**
 * A journal with a long history: how fast it starts, folds and verifies, and whether a checkpoint stalls the event
 * loop.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { readDataFolder } from "../server/src/assembly/data-folder.ts";
import { clientOf, openFolder, servicesOf, start, startEngine } from "../server/src/assembly/open.ts";
import type { Client } from "holdfast";
import { type Bench, type BenchOptions, format, type Row, table } from "./report.ts";

interface Size {
  readonly entries: number;
  readonly entities: number;
  /** Rows of the checkpoint during which the event loop is measured. */
  readonly rows: number;
}

const full: Size = { entries: 1_000_000, entities: 100_000, rows: 1_000_000 };
const quick: Size = { entries: 100_000, entities: 10_000, rows: 100_000 };

/** Callers that write concurrently while the journal is filled. */
const callers = 500;

export const journal: Bench = async (options) => {
  const size = options.isQuick ? quick : full;
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    const lived = await measureLifecycle(join(folder, "lived"), size, options);
    const rows = [...lived, await measureStall(join(folder, "stall"), size, options)];
    options.report(`\nA journal of ${format(size.entries)} entries about ${format(size.entities)} entities\n`);
    const lines = rows.map(({ name, ours, peer, goal, met }) => [
      name,
      format(ours, ours < 10 ? 2 : 0),
      goal === 0 ? "" : format(peer),
      goal === 0 ? "" : met ? "met" : "missed",
    ]);
    options.report(table(["", "measured", "goal", ""], lines));
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

async function measureLifecycle(folder: string, size: Size, options: BenchOptions): Promise<readonly Row[]> {
  options.report(`writing ${format(size.entries)} entries …`);
  const first = await start(folder);
  await fill(first.client, size, options);
  await first.client.close();
  const bytes = statSync(join(folder, "journal.db")).size / size.entries;
  options.report("starting from the checkpoint …");
  const startSeconds = await secondsToStart(folder);
  options.report("verifying …");
  const verifySeconds = await seconds(async () => {
    const reader = readDataFolder(folder);
    const { ok } = await reader.verify({ kinds: [], onProgress: () => undefined });
    reader.close();
    if (!ok) throw new Error("the journal that was just written does not verify");
  });
  options.report("starting without a checkpoint …");
  for (const name of readdirSync(folder)) if (name.startsWith("checkpoint")) rmSync(join(folder, name));
  const foldSeconds = await secondsToStart(folder);
  return [
    atMost("start with all entries covered by a checkpoint, s", startSeconds, 2),
    withoutGoal("entries folded a second, read from disk and proven", size.entries / foldSeconds),
    withoutGoal("entries verified a second, each decided again", size.entries / verifySeconds),
    withoutGoal("bytes per entry in journal.db", bytes),
  ];
}

/** The longest time for which the server answered no call while it wrote a checkpoint of many rows. */
async function measureStall(folder: string, size: Size, options: BenchOptions): Promise<Row> {
  options.report(`saving ${format(size.rows)} rows …`);
  const engine = await startEngine({ journal: await openFolder(folder), checkpointEvery: Infinity });
  const client = clientOf(servicesOf(engine));
  await fill(client, { ...size, entries: size.rows, entities: size.rows }, options);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const took = await seconds(() => engine.checkpoint());
  delay.disable();
  options.report(`  saved in ${format(took, 1)} s`);
  await client.close();
  return withoutGoal("longest stall of the event loop during that checkpoint, ms", delay.max / 1e6);
}

/** Writes `size.entries` entries about `size.entities` entities, from many concurrent callers. */
export async function fill(client: Client, size: Omit<Size, "rows">, options: BenchOptions): Promise<void> {
  let next = 0;
  const write = async (): Promise<void> => {
    while (next < size.entries) {
      const index = next;
      next += 1;
      const id = String(index % size.entities);
      const value = { n: index, title: `document ${id}`, status: "open", tags: ["a", "b"] };
      if (index < size.entities) await client.entities.create("document", id, value);
      else await client.entities.patch("document", id, { merge: { n: index } });
      if ((index + 1) % (size.entries / 10) === 0) options.report(`  ${format(index + 1)} …`);
    }
  };
  await Promise.all(Array.from({ length: callers }, write));
}

async function secondsToStart(folder: string): Promise<number> {
  let client: Client | undefined;
  const took = await seconds(async () => {
    ({ client } = await start(folder));
  });
  await client?.close();
  return took;
}

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (performance.now() - startMs) / 1000;
}

/** Compares a number with its upper bound, which is the peer of the row. */
export function atMost(name: string, ours: number, bound: number): Row {
  return { name, ours, peer: bound, ratio: ours / bound, goal: 1, met: ours <= bound };
}

/** A number without a goal. */
function withoutGoal(name: string, ours: number): Row {
  return { name, ours, peer: ours, ratio: 1, goal: 0, met: true };
}
