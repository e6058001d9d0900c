/**
 * How fast this host computes, compared with the one on which the budgets of the tests were measured. A fixed loop runs on
 * all cores at once, because cores that share hardware are slower when all of them are busy. Only processor time counts, so
 * other work on the host hardly changes the result. Other guests of the same machine do, within minutes. So a long
 * run measures repeatedly.
 */
import { availableParallelism } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { parentPort, Worker, workerData } from "node:worker_threads";

/** Processor seconds of the loop on the reference host, with both of its cores busy. */
const referenceSeconds = 0.5;

/** The kind of work that the tests do: objects, maps, JSON and numbers. */
function runLoop(): number {
  let sum = 0;
  for (let round = 0; round < 365; round += 1) {
    const rows = new Map<string, { readonly id: number; readonly path: string; readonly tags: readonly number[] }>();
    for (let id = 0; id < 1_500; id += 1) {
      const path = `space/${id % 37}/${id}`;
      rows.set(path, { id, path, tags: [id % 3, id % 5, id % 7] });
    }
    const text = JSON.stringify([...rows.values()].sort((a, b) => (a.path < b.path ? -1 : 1)));
    for (let index = 0; index < text.length; index += 1) sum = (Math.imul(sum, 31) + text.charCodeAt(index)) | 0;
    sum += (JSON.parse(text) as readonly unknown[]).length;
  }
  return sum;
}

function secondsOfLoop(): Promise<number> {
  return new Promise((resolve, reject) => {
    new Worker(new URL(import.meta.url), { workerData: "run the loop" }).on("message", resolve).on("error", reject);
  });
}

/** Processor seconds that a task takes here, for each second on the reference host. */
export async function measureHostFactor(): Promise<number> {
  const seconds = await Promise.all(Array.from({ length: availableParallelism() }, secondsOfLoop));
  return seconds.reduce((sum, value) => sum + value, 0) / seconds.length / referenceSeconds;
}

/** Runs the loop on one core periodically, during a long run. The result ends it, and answers with the mean factor. */
export function watchHostFactor(everyMs: number): () => Promise<number> {
  const ending = new AbortController();
  const factors: number[] = [];
  const watch = async (): Promise<void> => {
    for (;;) {
      factors.push((await secondsOfLoop()) / referenceSeconds);
      await pause(everyMs, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
      if (ending.signal.aborted) return;
    }
  };
  const watching = watch();
  return async () => {
    ending.abort();
    await watching;
    return factors.reduce((sum, value) => sum + value, 0) / factors.length;
  };
}

if (workerData === "run the loop") {
  const before = process.threadCpuUsage();
  runLoop();
  const { user, system } = process.threadCpuUsage(before);
  parentPort?.postMessage((user + system) / 1e6);
}
