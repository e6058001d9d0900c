/**
 * The peer BullMQ has one Queue and one Worker, each with its own connection. The settings are those of its page for
 * production: no limit of retries for the worker's connection, and completed jobs are removed. It recommends the
 * append-only file with one fsync a second, which is one of the three runs. See
 * https://docs.bullmq.io/guide/going-to-production.
 */
import { createRequire } from "node:module";
import { jobPayload, jobSlots } from "../job-queue.ts";
import type { JobQueue } from "../job-queue.ts";
import { startRedis } from "./redis-server.ts";

interface BullQueue {
  add(name: string, data: object): Promise<unknown>;
  close(): Promise<void>;
}

interface BullWorker {
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}

type BullOptions = Readonly<Record<string, unknown>>;

interface BullPackage {
  readonly Queue: new (name: string, options: BullOptions) => BullQueue;
  readonly Worker: new (name: string, handler: () => Promise<void>, options: BullOptions) => BullWorker;
}

export async function bullmqJobs({ fsync }: { readonly fsync: boolean | "everysec" }): Promise<JobQueue> {
  // Not an import: only this benchmark needs the package.
  const { Queue, Worker } = createRequire(import.meta.url)("bullmq") as BullPackage;
  const redis = await startRedis({ fsync });
  const connection = { host: "127.0.0.1", port: redis.port, maxRetriesPerRequest: null };
  const jobs = new Queue("noop", { connection, defaultJobOptions: { removeOnComplete: true, removeOnFail: 1_000 } });
  const queue: JobQueue = {
    submit: () => jobs.add("noop", jobPayload),
    onStart: () => undefined,
    async close() {
      await worker.close();
      await jobs.close();
      await redis.close();
    },
  };
  const handler = (): Promise<void> => {
    queue.onStart();
    return Promise.resolve();
  };
  const worker = new Worker("noop", handler, { connection, concurrency: jobSlots });
  await worker.waitUntilReady();
  return queue;
}
