/**
 * In-process locks, every write durable: cycles over raw inserts, long queues, large sets, many leases, idle agents.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allocatedBytes } from "../test/engine/allocated-bytes.ts";
import { open } from "holdfast";
import type { Client } from "holdfast";
import { idleAgentBytes } from "./idle-agents.ts";
import { leaseBytes } from "./lease-bytes.ts";
import { machineRunner } from "./machine-runner.ts";
import { RawInserts, writtenAfter } from "./peers/raw-inserts.ts";
import { atLeast, atMost, below, type Bench, type BenchOptions, format, median, type Row, rowTable } from "./report.ts";

export const locks: Bench = async (options) => {
  const rows = [await cycles(options), await cycleBytes(options), ...decisions(options), await leases(options)];
  rows.push(await leaseMemory(), await idleAgents(options));
  options.report(rowTable(rows, 1));
  return rows;
};

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** 256 owners, each with its own path, acquire and release as fast as they can. */
async function runCycles(client: Client, durationMs: number): Promise<{ readonly count: number; readonly ms: number }> {
  const startMs = performance.now();
  let count = 0;
  const work = async (ownerId: string): Promise<void> => {
    while (performance.now() - startMs < durationMs) {
      const held = await client.operations.acquireLock({ paths: [`bench/${ownerId}`], ttlMs: 60_000, ownerId });
      if (held.granted) await client.locks.release({ fence: held.fence }, { ownerId });
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: 256 }, (_, index) => work(`owner-${index}`)));
  return { count, ms: performance.now() - startMs };
}

function cycles(options: BenchOptions): Promise<Row> {
  return inFolder(async (folder) => {
    const data = join(folder, "data");
    const client = await open(data);
    const raw = new RawInserts(join(folder, "raw"));
    const { rounds, durationMs } = options.isQuick ? { rounds: 3, durationMs: 500 } : { rounds: 5, durationMs: 1_500 };
    const [ours, peer]: [number[], number[]] = [[], []];
    for (let round = -1; round < rounds; round += 1) {
      const before = Number((await client.cursor()).split(".")[1]);
      const { count, ms } = await runCycles(client, durationMs);
      const { entries } = writtenAfter(data, before);
      const peerMs = raw.run(entries, 256);
      if (round < 0) continue;
      ours.push((count / ms) * 1_000);
      // Two inserts make a cycle.
      peer.push((entries.length / 2 / peerMs) * 1_000);
    }
    await client.close();
    raw.close();
    const name = "in-process lock cycles/s, 256 owners, over raw inserts of the same bytes";
    return { ...atLeast(name, ours, peer, 0.35), firstGoal: 0.5 };
  });
}

/** Bytes that a cycle allocates on the heap, client and server in one process. */
function cycleBytes(options: BenchOptions): Promise<Row> {
  return inFolder(async (folder) => {
    const client = await open(join(folder, "data"));
    const durationMs = options.isQuick ? 500 : 1_500;
    await runCycles(client, durationMs);
    let count = 0;
    const bytes = await allocatedBytes(async () => {
      ({ count } = await runCycles(client, durationMs));
    });
    await client.close();
    return atMost("KB allocated per in-process lock cycle, over 10", bytes / count / 1_000, 10, 1);
  });
}

function decisions(options: BenchOptions): readonly Row[] {
  const rounds = options.isQuick ? 5 : 9;
  const of = (work: () => number) => Array.from({ length: rounds }, work);
  releaseUs(10);
  const short = of(() => releaseUs(10));
  const long = of(() => releaseUs(10_000));
  const single = of(() => setUs(1));
  const set = of(() => setUs(1_000) / 1_000);
  return [
    atMost("release with 10,000 queued waiters over release with 10, µs", long, short, 2),
    atMost("a set of 1,000 paths, per path, over a single path, µs of deciding", set, single, 1),
  ];
}

/** The cost of a release that grants the lock to the first of `waiters`: the median of ten releases. */
function releaseUs(waiters: number): number {
  const run = machineRunner();
  const common = { paths: ["line"], ttl_seconds: 3_600, ticket_seconds: 3_600 };
  const first = run("acquire-lock", { ...common, owner_id: "holder" });
  for (let index = 0; index < waiters + 10; index += 1)
    run("acquire-lock", { ...common, owner_id: `w${index}`, wait: true });
  let held = { owner: "holder", fence: first.outcome.data["fence"] as string };
  const us: number[] = [];
  for (let index = 0; index < 10; index += 1) {
    const startMs = performance.now();
    const { events } = run("release-lock", { fence: held.fence, owner_id: held.owner });
    us.push((performance.now() - startMs) * 1_000);
    const next = events.find(({ type }) => type === "lock.acquired");
    held = { owner: `w${index}`, fence: next?.data["fence"] as string };
  }
  return median(us);
}

function setUs(size: number): number {
  const run = machineRunner();
  const paths = Array.from({ length: size }, (_, index) => `set/${index}`);
  const us: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const startMs = performance.now();
    const { outcome } = run("acquire-lock", { paths, ttl_seconds: 60, owner_id: "o" });
    run("release-lock", { fence: outcome.data["fence"], owner_id: "o" });
    us.push((performance.now() - startMs) * 1_000);
  }
  return median(us.slice(5));
}

/** p95 of an acquire with many leases held, compared with no leases. */
async function leases(options: BenchOptions): Promise<Row> {
  const count = options.isQuick ? 20_000 : 100_000;
  return inFolder(async (folder) => {
    const client = await open(join(folder, "data"));
    await acquireP95(client);
    const empty = await p95s(client);
    for (let start = 0; start < count; start += 1_000) {
      const page = Array.from({ length: 1_000 }, (_, index) => start + index);
      await Promise.all(
        page.map((index) =>
          client.operations.acquireLock({ paths: [`held/${index}`], ttlMs: 86_400_000, ownerId: `h${index % 256}` }),
        ),
      );
    }
    const full = await p95s(client);
    await client.close();
    return atMost(`p95 of acquire with ${format(count)} leases held over none, ms`, full, empty, 1.3);
  });
}

/**
 * Several rounds, because the burst before them leaves checkpoints and index pages that are written during the first
 * ones.
 */
async function p95s(client: Client): Promise<readonly number[]> {
  const rounds: number[] = [];
  for (let round = 0; round < 7; round += 1) rounds.push(await acquireP95(client));
  return rounds;
}

async function acquireP95(client: Client): Promise<number> {
  const ms: number[] = [];
  for (let index = 0; index < 300; index += 1) {
    const startMs = performance.now();
    const held = await client.operations.acquireLock({ paths: [`p95/${index}`], ttlMs: 60_000, ownerId: "p95" });
    ms.push(performance.now() - startMs);
    if (held.granted) await client.locks.release({ fence: held.fence }, { ownerId: "p95" });
  }
  return ms.toSorted((a, b) => a - b)[Math.floor(ms.length * 0.95)] ?? NaN;
}

async function leaseMemory(): Promise<Row> {
  return below(
    "bytes that a held lease keeps in the heap, garbage collected, over 1 KiB",
    await leaseBytes(),
    1_024,
    1,
  );
}

async function idleAgents(options: BenchOptions): Promise<Row> {
  const bytes = await idleAgentBytes(1_000, options.isQuick ? 2 : 4);
  return atMost("journal MB a day for 1,000 idle agents that beat every 10 s, over 50", bytes / 1e6, 50, 1);
}
