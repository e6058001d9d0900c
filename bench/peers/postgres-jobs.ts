/**
 * The peers on Postgres. pg-boss fetches in batches and polls as often as it allows. See
 * https://timgit.github.io/pg-boss.
 *
 * graphile-worker has the pool of its page about performance. It runs with its default settings, and with batches. See
 * https://worker.graphile.org/docs/performance.
 */
import { createRequire } from "node:module";
import { Pool } from "pg";
import { jobPayload, jobSlots } from "../job-queue.ts";
import type { JobQueue } from "../job-queue.ts";

interface Boss {
  on(name: "error", listener: () => void): void;
  start(): Promise<unknown>;
  createQueue(name: string): Promise<unknown>;
  send(name: string, data: object): Promise<unknown>;
  work(name: string, options: object, handler: (jobs: readonly unknown[]) => Promise<void>): Promise<unknown>;
  stop(options: object): Promise<unknown>;
}

interface GraphileRunner {
  addJob(task: string, payload: object): Promise<unknown>;
  stop(): Promise<unknown>;
}

interface Graphile {
  readonly run: (options: object) => Promise<GraphileRunner>;
  readonly Logger: new (factory: () => () => void) => object;
}

/** Not imports: only this benchmark needs their types. */
const load = createRequire(import.meta.url);

export async function pgBossJobs(url: string): Promise<JobQueue> {
  const { PgBoss } = load("pg-boss") as { readonly PgBoss: new (options: object) => Boss };
  const boss = new PgBoss({ connectionString: url, max: 20 });
  boss.on("error", () => undefined);
  await boss.start();
  await boss.createQueue("noop");
  const queue: JobQueue = {
    submit: () => boss.send("noop", jobPayload),
    onStart: () => undefined,
    async close() {
      await boss.stop({ graceful: false });
    },
  };
  await boss.work("noop", { batchSize: jobSlots, pollingIntervalSeconds: 0.5 }, async (jobs) => {
    for (const _ of jobs) queue.onStart();
  });
  return queue;
}

export async function graphileJobs(url: string, { isBatched }: { readonly isBatched: boolean }): Promise<JobQueue> {
  const { run, Logger } = load("graphile-worker") as Graphile;
  const batches = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };
  const pgPool = new Pool({ connectionString: url, max: 25 });
  pgPool.on("error", () => undefined);
  const worker = { concurrentJobs: 24, maxPoolSize: 25, ...(isBatched ? batches : {}) };
  const logger = new Logger(() => () => undefined);
  const queue: JobQueue = {
    submit: () => runner.addJob("noop", jobPayload),
    onStart: () => undefined,
    async close() {
      await runner.stop();
      await pgPool.end();
    },
  };
  const noop = (): Promise<void> => {
    queue.onStart();
    return Promise.resolve();
  };
  const taskList = { noop };
  const runner = await run({ pgPool, preset: { worker: { ...worker, logger } }, taskList, noHandleSignals: true });
  return queue;
}
