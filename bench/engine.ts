/** In-process commands, every write durable, compared with raw inserts of the same bytes, at several batch sizes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "holdfast";
import { Callers, fillEntities } from "./engine-load.ts";
import { engineParts, type Part } from "./engine-parts.ts";
import { RawInserts, writtenAfter } from "./peers/raw-inserts.ts";
import {
  atLeast,
  type Bench,
  type BenchOptions,
  format,
  median,
  type Row,
  spread,
  spreadText,
  table,
} from "./report.ts";

/** The first goal of every size. The goal of a size is in `goals`. */
const firstGoal = 0.5;

const goals = new Map([
  [1, 0.6],
  [16, 0.5],
  [128, 0.4],
  [1_000, 0.35],
]);
const batchSizes = [...goals.keys()];

interface Measured {
  readonly row: Row;
  readonly batchSize: number;
  readonly isHalfKeyed: boolean;
  /** The measured number of entries per batch. */
  readonly realBatchSize: number;
  readonly bytes: number;
  readonly spreads: readonly [ours: string, peer: string];
}

export const engine: Bench = async (options) => {
  const measured: (Measured & { readonly parts: readonly Part[] })[] = [];
  options.report("warming up …");
  await inFolder((folder) => measure(folder, { batchSize: 128, isHalfKeyed: true }, { ...options, isQuick: true }));
  for (const isHalfKeyed of [false, true]) {
    for (const batchSize of batchSizes) {
      options.report(`batch ${batchSize}${isHalfKeyed ? ", half keyed" : ""} …`);
      const one = await inFolder((folder) => measure(folder, { batchSize, isHalfKeyed }, options));
      const durationMs = options.isQuick ? 300 : 1_000;
      const parts = await inFolder((folder) => engineParts(folder, { batchSize, durationMs, isHalfKeyed }));
      options.report(`  ${format(one.row.ours)}/s, raw ${format(one.row.peer)}/s, ratio ${one.row.ratio.toFixed(2)}`);
      measured.push({ ...one, parts });
    }
  }
  options.report(`\nIn-process commands/s over raw inserts of the same bytes, every write durable\n`);
  options.report(resultTable(measured));
  options.report(`\nCost of an entry, in µs, by part. The rest is the door, the queue, waiting and answering.\n`);
  options.report(partsTable(measured));
  return measured.map(({ row }) => row);
};

interface Plan {
  readonly batchSize: number;
  readonly isHalfKeyed: boolean;
}

async function measure(folder: string, plan: Plan, options: BenchOptions): Promise<Measured> {
  const { batchSize, isHalfKeyed } = plan;
  const data = join(folder, "data");
  const client = await open(data);
  const raw = new RawInserts(join(folder, "raw"));
  await fillEntities(client);
  const callers = new Callers(client);
  const ours: number[] = [];
  const peer: number[] = [];
  const realBatchSizes: number[] = [];
  let bytes = 0;
  const { rounds, durationMs } = options.isQuick ? { rounds: 5, durationMs: 100 } : { rounds: 12, durationMs: 350 };
  for (let round = -1; round < rounds; round += 1) {
    const before = position(await client.cursor());
    const { commands, ms } = await callers.run({ callers: batchSize, durationMs, isHalfKeyed });
    const written = writtenAfter(data, before);
    const peerMs = raw.run(written.entries, batchSize);
    // The first round warms up the compiler, the caches and the disk.
    if (round < 0) continue;
    ours.push((commands / ms) * 1_000);
    peer.push((written.entries.length / peerMs) * 1_000);
    realBatchSizes.push(...written.batchSizes);
    bytes = written.entries.reduce((sum, lines) => sum + Buffer.byteLength(lines), 0) / written.entries.length;
  }
  await client.close();
  raw.close();
  const name = `in-process commands/s, batch ${batchSize}${isHalfKeyed ? ", half keyed" : ""}`;
  return {
    row: { ...atLeast(name, ours, peer, goals.get(batchSize) ?? firstGoal), firstGoal },
    batchSize,
    isHalfKeyed,
    realBatchSize: median(realBatchSizes),
    bytes,
    spreads: [spread(ours), spread(peer)],
  };
}

function resultTable(measured: readonly Measured[]): string {
  const header = [
    "callers",
    "real batch",
    "bytes",
    "ours/s",
    "from–to",
    "raw/s",
    "from–to",
    "ratio",
    "from–to",
    "goal",
  ];
  const lines = measured.map(({ row, batchSize, isHalfKeyed, realBatchSize, bytes, spreads }) => [
    `${batchSize}${isHalfKeyed ? ", half keyed" : ""}`,
    format(realBatchSize),
    format(bytes),
    format(row.ours),
    spreads[0],
    format(row.peer),
    spreads[1],
    row.ratio.toFixed(2),
    spreadText(row),
    `${row.goal} ${row.met ? "met" : "missed"}`,
  ]);
  return table(header, lines);
}

function partsTable(measured: readonly (Measured & { readonly parts: readonly Part[] })[]): string {
  const names = measured[0]?.parts.map(({ name }) => name) ?? [];
  const lines = measured.map(({ row, batchSize, isHalfKeyed, parts }) => {
    const totalUs = 1e6 / row.ours;
    const restUs = totalUs - parts.reduce((sum, { us }) => sum + us, 0);
    const costs = [...parts.map(({ us }) => us), restUs, totalUs, 1e6 / row.peer];
    return [`${batchSize}${isHalfKeyed ? ", half keyed" : ""}`, ...costs.map((us) => us.toFixed(1))];
  });
  return table(["callers", ...names, "the rest", "all", "raw"], lines);
}

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function position(cursor: string): number {
  return Number(cursor.split(".")[1]);
}
