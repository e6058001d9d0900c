/**
 * How the cost of one call grows with the existing state: leases held, queued waiters, entities and journal entries,
 * from a thousand to a million. Decisions are measured on the machine alone, where no other cost can hide a curve.
 * Catch-up and start are measured on a real journal.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clientOf, openFolder, servicesOf, start, startEngine } from "../server/src/assembly/open.ts";
import { lineChart, type Series } from "./chart.ts";
import { machineRunner } from "./machine-runner.ts";
import { type Bench, type BenchOptions, format, median, type Row, table } from "./report.ts";

export interface Curve extends Series {
  /** The quantity that grows, and the unit of a point. */
  readonly with: string;
  readonly unit: string;
}

/**
 * Maximum factor of cost for ten times as much state. It allows for a tree that is one level deeper, and for caches
 * that do not hold all of it.
 */
const perTenfoldMost = 2;

export const growth: Bench = async (options) => {
  const curves = await measureGrowth(options);
  const rows = curves.map(rowOf);
  options.report(table(["", "before", "after", "ratio", "goal"], rows.map(lineOf)));
  for (const unit of new Set(curves.map((curve) => curve.unit))) {
    const series = curves.filter((curve) => curve.unit === unit);
    const chart = { title: "Cost of one operation", x: "existing state", y: unit, series, isLogarithmic: true };
    options.show(unit === "ms" ? "growth-of-start" : "growth-of-calls", lineChart(chart));
  }
  return rows;
};

export async function measureGrowth(options: BenchOptions): Promise<readonly Curve[]> {
  const sizes = options.isQuick ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000];
  const curves: Curve[] = [];
  for (const [name, grows, measure] of [
    ["acquire", "leases held", acquireUs],
    ["release to the next", "queued waiters", releaseUs],
    ["write of an entity", "entities", writeUs],
  ] as const) {
    const points = sizes.map((size) => {
      options.report(`${name}: ${format(size)} ${grows} …`);
      return [size, measure(size)] as const;
    });
    curves.push({ name, with: grows, unit: "µs", points });
  }
  return [...curves, ...(await journalCurves(sizes, options))];
}

/**
 * Judges the step from one size to the next that costs the most. A curve that bends upwards late is not hidden by its
 * start.
 */
function rowOf({ name, with: grows, unit, points }: Curve): Row {
  let worst: Pick<Row, "ours" | "peer" | "ratio"> = { ours: NaN, peer: NaN, ratio: 0 };
  for (const [index, [, peer]] of points.entries()) {
    const [, ours] = points[index + 1] ?? [0, NaN];
    if (ours / peer > worst.ratio) worst = { ours, peer, ratio: ours / peer };
  }
  const row = `${name}, ${unit}, with ten times as many ${grows}: the worst step up to ${format(points.at(-1)?.[0] ?? 0)}`;
  return { name: row, ...worst, goal: perTenfoldMost, met: worst.ratio <= perTenfoldMost };
}

function lineOf({ name, ours, peer, ratio, goal, met }: Row): readonly string[] {
  return [name, format(peer, 1), format(ours, 1), ratio.toFixed(2), `${goal} ${met ? "met" : "missed"}`];
}

const probes = 400;

function acquireUs(size: number): number {
  const run = machineRunner();
  const lease = { ttl_seconds: 86_400 };
  for (let held = 0; held < size; held += 1) {
    run("acquire-lock", { ...lease, paths: [`held/${held}`], owner_id: `h${held % 1_000}` });
  }
  const us = Array.from({ length: probes }, (_, probe) => {
    const owner_id = `probe${probe}`;
    const granted = run("acquire-lock", { ...lease, paths: [`held/new${probe}`], owner_id });
    run("release-lock", { fence: granted.outcome.data["fence"], owner_id });
    return granted.us;
  });
  return median(us);
}

function releaseUs(size: number): number {
  const run = machineRunner();
  const common = { paths: ["line"], ttl_seconds: 86_400, ticket_seconds: 3_600 };
  let held = { owner: "holder", fence: run("acquire-lock", { ...common, owner_id: "holder" }).outcome.data["fence"] };
  for (let waiter = 0; waiter < size; waiter += 1)
    run("acquire-lock", { ...common, owner_id: `w${waiter}`, wait: true });
  const us = Array.from({ length: Math.min(probes, size) }, (_, probe) => {
    const released = run("release-lock", { fence: held.fence, owner_id: held.owner });
    const next = released.events.find(({ type }) => type === "lock.acquired");
    held = { owner: `w${probe}`, fence: next?.data["fence"] };
    return released.us;
  });
  return median(us);
}

function writeUs(size: number): number {
  const run = machineRunner();
  for (let id = 0; id < size; id += 1) run("create-entity", { type: "document", id: String(id), value: { n: 0 } });
  const us = Array.from({ length: probes }, (_, probe) => {
    const id = String((probe * 7_919) % size);
    return run("patch-entity", { type: "document", id, merge: { n: probe } }).us;
  });
  return median(us);
}

async function journalCurves(sizes: readonly number[], options: BenchOptions): Promise<readonly Curve[]> {
  // The first start of a process pays for compiling.
  await inFolder((folder) => fillAndFold(folder, 1_000));
  const caughtUp: [number, number][] = [];
  const started: [number, number][] = [];
  for (const size of sizes) {
    options.report(`catch-up and start: ${format(size)} entries behind …`);
    await inFolder(async (folder) => {
      caughtUp.push([size, ((await fillAndFold(folder, size)) / size) * 1_000]);
      const starts: number[] = [];
      for (let round = 0; round < 5; round += 1) starts.push(await startMs(folder));
      started.push([size, median(starts)]);
    });
  }
  return [
    { name: "catch-up, for each entry, with the start", with: "entries behind", unit: "µs", points: caughtUp },
    { name: "start from a checkpoint", with: "entries behind", unit: "ms", points: started },
  ];
}

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    return await work(join(folder, "data"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes a journal without a checkpoint, starts from its first entry, and leaves a checkpoint. */
async function fillAndFold(folder: string, size: number): Promise<number> {
  const first = await startEngine({ journal: await openFolder(folder), checkpointEvery: Infinity });
  const client = clientOf(servicesOf(first));
  let next = 0;
  const write = async (): Promise<void> => {
    for (let number = next++; number < size; number = next++) {
      // The number of entities is the same at every size: the journal grows, not the state.
      const input = { type: "document", id: String(number % 500), value: { n: number } };
      await client.run(number < 500 ? "create-entity" : "replace-entity", input);
    }
  };
  await Promise.all(Array.from({ length: 500 }, write));
  await client.close();
  // A stop saves the state. A node without that checkpoint folds every entry.
  for (const end of ["", "-shm", "-wal"]) rmSync(join(folder, `checkpoint.db${end}`), { force: true });
  const begin = performance.now();
  const second = await startEngine({ journal: await openFolder(folder), checkpointEvery: Infinity });
  const ms = performance.now() - begin;
  await second.checkpoint();
  await clientOf(servicesOf(second)).close();
  return ms;
}

async function startMs(folder: string): Promise<number> {
  const begin = performance.now();
  const { client } = await start(folder);
  const ms = performance.now() - begin;
  await client.close();
  return ms;
}
