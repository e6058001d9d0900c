/** Workers that each do the same again and again, for as long as they are told. */
import { createInterface } from "node:readline";

export interface Load {
  readonly perSecond: number;
  /** Of one time, in milliseconds. */
  readonly p50: number;
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
  // Until the last answer, since those that came after the end are counted too.
  const tookMs = performance.now() - startMs;
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? NaN;
  return { perSecond: (times.length / tookMs) * 1_000, p50: at(0.5), p99: at(0.99) };
}

/**
 * The load of a process of its own. It says `ready`; a line `NUMBER MS` starts a round, whose result is the line
 * `NUMBER {…}`; it goes with its input.
 */
export async function serveLoad(workers: number, work: (worker: number) => Promise<void>): Promise<void> {
  console.log("ready");
  for await (const line of createInterface({ input: process.stdin })) {
    const [round = "", durationMs = ""] = line.split(" ");
    console.log(`${round} ${JSON.stringify(await runLoad(workers, Number(durationMs), work))}`);
  }
}
