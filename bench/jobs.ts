/**
 * Jobs that do nothing, compared with BullMQ, pg-boss and graphile-worker through their own clients in the same run.
 * Install the peers first: `npm install --no-save bullmq@6.7.0 pg-boss@12.30.0 graphile-worker@0.18.0`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startOwnPostgres } from "../test/scenario/private-postgres.ts";
import { bullmqJobs } from "./peers/bullmq-jobs.ts";
import { holdfastJobs } from "./holdfast-jobs.ts";
import { jobFairnessRows } from "./job-fairness.ts";
import { jobGrowthRows } from "./job-growth.ts";
import { jobsPerSecond, startDelays } from "./job-queue.ts";
import type { JobQueue } from "./job-queue.ts";
import { makeDatabases } from "./make-databases.ts";
import { graphileJobs, pgBossJobs } from "./peers/postgres-jobs.ts";
import { atLeast, atMost, type Bench, format, median, type Row, rowTable } from "./report.ts";

export const jobs: Bench = async (options) => {
  const { isQuick, report } = options;
  const plan = isQuick ? { rounds: 3, count: 1_000, delays: 100 } : { rounds: 5, count: 10_000, delays: 1_000 };
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-jobs-"));
  try {
    const rows = [...(await redisRows(folder, plan, report)), ...(await postgresRows(folder, plan, report))];
    rows.push(...jobFairnessRows(isQuick ? 10_000 : 100_000), ...jobGrowthRows(options));
    report(rowTable(rows, 2));
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

interface JobPlan {
  readonly rounds: number;
  readonly count: number;
  readonly delays: number;
}

type Report = (line: string) => void;

async function redisRows(folder: string, plan: JobPlan, report: Report): Promise<Row[]> {
  const queues = {
    ours: await holdfastJobs(join(folder, "sqlite")),
    memory: await bullmqJobs({ fsync: false }),
    everysec: await bullmqJobs({ fsync: "everysec" }),
    durable: await bullmqJobs({ fsync: true }),
  };
  try {
    const rates = await inTurn(queues, plan, report);
    const delays = await startDelays(queues.ours, plan.delays);
    const delaysOfPeer = await startDelays(queues.memory, plan.delays);
    const delaysOfDurable = await startDelays(queues.durable, plan.delays);
    return [
      atLeast("jobs/s, durable SQLite, over BullMQ on redis without fsync", rates.ours, rates.memory, 1),
      atLeast("jobs/s, durable SQLite, over BullMQ with appendfsync everysec", rates.ours, rates.everysec, 0),
      atLeast("jobs/s, durable SQLite, over BullMQ with appendfsync always", rates.ours, rates.durable, 2),
      atMost("submit to handler, idle, p50 ms, over BullMQ without fsync", median(delays), median(delaysOfPeer), 1.5),
      atMost("submit to handler, idle, p50 ms, over BullMQ with fsync", median(delays), median(delaysOfDurable), 1.5),
    ];
  } finally {
    for (const queue of Object.values(queues)) await queue.close();
  }
}

async function postgresRows(folder: string, plan: JobPlan, report: Report): Promise<Row[]> {
  const postgres = await startOwnPostgres({ isDurable: true });
  try {
    const urls = await makeDatabases(postgres.url, ["ours", "boss", "graphile", "batched"]);
    const queues = {
      ours: await holdfastJobs(join(folder, "postgres"), urls.ours),
      boss: await pgBossJobs(urls.boss),
      graphile: await graphileJobs(urls.graphile, { isBatched: false }),
      batched: await graphileJobs(urls.batched, { isBatched: true }),
    };
    try {
      const rates = await inTurn(queues, plan, report);
      return [
        atLeast("jobs/s, Postgres journal, over pg-boss in batches of 100", rates.ours, rates.boss, 2),
        atLeast("jobs/s, Postgres journal, over graphile-worker by default", rates.ours, rates.graphile, 2),
        atLeast("jobs/s, Postgres journal, over graphile-worker in batches", rates.ours, rates.batched, 0),
      ];
    } finally {
      for (const queue of Object.values(queues)) await queue.close();
    }
  } finally {
    await postgres.stop();
  }
}

/** Each queue in turn, round after round, so that a slow minute affects all of them. The first round is not counted. */
async function inTurn<Name extends string>(
  queues: Readonly<Record<Name, JobQueue>>,
  { rounds, count }: JobPlan,
  report: Report,
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const all = Object.entries<JobQueue>(queues).map(([name, queue]) => ({ name, queue, rates: [] as number[] }));
  for (let round = 0; round <= rounds; round += 1) {
    for (const { queue, rates } of all) {
      const rate = await jobsPerSecond(queue, count);
      if (round > 0) rates.push(rate);
    }
  }
  for (const { name, rates } of all) report(`${name}: ${format(median(rates))} jobs/s`);
  return Object.fromEntries(all.map(({ name, rates }) => [name, rates])) as unknown as Record<Name, readonly number[]>;
}
