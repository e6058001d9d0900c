/** Workers that each repeat the same work for a given duration. */
import { createInterface } from "node:readline";

export interface Load {
  readonly perSecond: number;
  /** Latency of one call, in milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export async function runLoad(
  workers: number,
  durationMs: number,
  work: (worker: number) => Promise<void>,
): Promise<Load> {
  const startMs = performance.now();
  const endMs = startMs + durationMs;
  const times: number[] = [];
  const repeat = async (worker: number): Promise<void> => {
    for (let beginMs = startMs; beginMs < endMs;) {
      await work(worker);
      const nowMs = performance.now();
      times.push(nowMs - beginMs);
      beginMs = nowMs;
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => repeat(worker)));
  // Until the last answer, because answers after the end of the duration are counted too.
  const tookMs = performance.now() - startMs;
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? NaN;
  return { perSecond: (times.length / tookMs) * 1_000, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/**
 * The load of a separate process. It prints `ready`. A line `NUMBER MS` on its input starts a round, and the result is
 * the line `NUMBER {…}`. The process ends when its input ends.
 */
export async function serveLoad(workers: number, work: (worker: number) => Promise<void>): Promise<void> {
  console.log("ready");
  for await (const line of createInterface({ input: process.stdin })) {
    const [round = "", durationMs = ""] = line.split(" ");
    console.log(`${round} ${JSON.stringify(await runLoad(workers, Number(durationMs), work))}`);
  }
}
