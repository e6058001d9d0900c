/** Several nodes on one Postgres, every write durable: lock cycles over direct locks, and the share of a slow node. */
import { join } from "node:path";
import { startTcpProxy } from "../test/nodes/tcp-proxy.ts";
import { startOwnPostgres } from "../test/scenario/private-postgres.ts";
import { startProgram } from "../test/scenario/program.ts";
import { directLocks } from "./direct-locks.ts";
import type { Load } from "./nodes-load.ts";
import { type Bench, format, type Row, table } from "./report.ts";

export const nodes: Bench = async ({ isQuick, say }) => {
  const durationMs = isQuick ? 2_000 : 6_000;
  const postgres = await startOwnPostgres({ isDurable: true });
  // One millisecond each way.
  const distant = await startTcpProxy(postgres.url, { delayMs: 1 });
  try {
    const direct = await directLocks(postgres.url, durationMs / 2);
    say(`direct locks (${direct.kind}): ${format(direct.rate)} cycles/s`);
    const [one] = await load([postgres.url], 256, durationMs);
    const two = await load([postgres.url, postgres.url], 128, durationMs);
    const three = await load([postgres.url, postgres.url, distant.url], 64, durationMs);
    for (const [name, loads] of Object.entries({ one: [one], two, three })) {
      const figures = loads.map(
        (each) =>
          `${format(each?.cyclesPerSecond ?? 0)}/s p50 ${format(each?.p50 ?? 0, 1)} p99 ${format(each?.p99 ?? 0, 1)} ms`,
      );
      say(`${name}: ${figures.join(" | ")}`);
    }
    const slow = three[2]?.cyclesPerSecond ?? 0;
    const rows = [
      over(
        "lock cycles/s, 256 agents, Postgres journal on one node, over direct Postgres locks",
        sum([one]),
        direct.rate,
        8,
      ),
      over("lock cycles/s, 256 agents, sum of two nodes, over direct Postgres locks", sum(two), direct.rate, 8),
      over("three nodes, one of them 2 ms away: its share over an equal share", slow, sum(three) / 3, 0.3),
      atMost("three nodes: the worst p99 over the median of all", worst(three), middle(three), 10),
    ];
    say(table(["what", "ours", "peer", "ratio", "goal"], rows.map(toLine)));
    return rows;
  } finally {
    await distant.close();
    await postgres.stop();
  }
};

/** Nodes under load at the same time, each in its own process. */
async function load(urls: readonly string[], agents: number, durationMs: number): Promise<readonly Load[]> {
  const programs = urls.map((url, index) => {
    const words = [url, `n${String(index)}`, String(agents), String(durationMs)];
    return startProgram(join(import.meta.dirname, "nodes-load.ts"), words, { inputStaysOpen: true });
  });
  await Promise.all(programs.map((program) => program.line(/^ready$/u)));
  for (const program of programs) program.say("go");
  const lines = await Promise.all(programs.map((program) => program.line(/^\{/u)));
  for (const program of programs) program.endInput();
  await Promise.all(programs.map(({ ended }) => ended));
  return lines.map((line) => JSON.parse(line) as Load);
}

const sum = (loads: readonly (Load | undefined)[]): number =>
  loads.reduce((total, each) => total + (each?.cyclesPerSecond ?? 0), 0);
const worst = (loads: readonly Load[]): number => Math.max(...loads.map(({ p99 }) => p99));
const middle = (loads: readonly Load[]): number => loads.map(({ p50 }) => p50).toSorted((a, b) => a - b)[1] ?? NaN;

function over(name: string, ours: number, peer: number, goal: number): Row {
  const ratio = ours / peer;
  return { name, ours, peer, ratio, goal, met: ratio >= goal };
}

function atMost(name: string, ours: number, peer: number, goal: number): Row {
  const ratio = ours / peer;
  return { name, ours, peer, ratio, goal, met: ratio <= goal };
}

function toLine({ name, ours, peer, ratio, goal, met }: Row): readonly string[] {
  return [name, format(ours, 1), format(peer, 1), ratio.toFixed(2), `${String(goal)} ${met ? "met" : "missed"}`];
}
