/**
 * One node under load, in a process of its own: node bench/nodes-load.ts URL NAME AGENTS MS. It says when it is ready,
 * begins with the line `go`, and tells what it came to in a line of JSON.
 */
import { createInterface } from "node:readline";
import { open } from "holdfast";

export interface Load {
  readonly cyclesPerSecond: number;
  /** Of one cycle, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const [url = "", name = "", agents = "256", durationMs = "3000"] = process.argv.slice(2);
const warmUpMs = 1_000;

async function run(): Promise<Load> {
  const client = await open({ journal: url });
  console.log("ready");
  await new Promise((resolve) => createInterface({ input: process.stdin }).once("line", resolve));
  const startMs = performance.now() + warmUpMs;
  const endMs = startMs + Number(durationMs);
  const times: number[] = [];
  const work = async (ownerId: string): Promise<void> => {
    for (let beginMs = performance.now(); beginMs < endMs;) {
      const held = await client.locks.acquire(`bench/${ownerId}`, { ttlSeconds: 60, ownerId });
      if (held.granted) await client.locks.release({ fence: held.fence }, { ownerId });
      const nowMs = performance.now();
      if (beginMs >= startMs) times.push(nowMs - beginMs);
      beginMs = nowMs;
    }
  };
  await Promise.all(Array.from({ length: Number(agents) }, (_, index) => work(`${name}-${String(index)}`)));
  await client.close();
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? NaN;
  return { cyclesPerSecond: (times.length / Number(durationMs)) * 1_000, p50: at(0.5), p99: at(0.99) };
}

console.log(JSON.stringify(await run()));
process.exit(0);
