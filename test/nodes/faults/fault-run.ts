/** Three nodes under load, with one injected fault after the other. */
import { startNats } from "../../mesh/private-nats.ts";
import { Random } from "../../simulation/random.ts";
import { startCluster } from "../node-processes.ts";
import { checkEnd } from "./check-end.ts";
import { type NodeFault, type Loss, nodeFaults } from "./faults.ts";
import { Load } from "./load.ts";
import { MeshReader } from "./mesh-reader.ts";

export interface FaultRunOptions {
  readonly seed: number;
  readonly cycles: number;
  readonly faults?: readonly NodeFault[];
  /** Maximum time until all workers progress after a fault. */
  readonly progressMs?: number;
  readonly onCycle?: (cycle: number, name: string, progressMs: number) => void;
}

export interface FaultReport {
  /** The number of injections per fault. */
  readonly injectedCounts: ReadonlyMap<string, number>;
  readonly acknowledgedCount: number;
  /** Published events of the valid history, each once. */
  readonly publishedCount: number;
  readonly lostLocks: number;
  /** From the end of a fault until all workers had progressed. */
  readonly progressMs: { readonly median: number; readonly max: number };
}

const checkEvery = 25;

export async function runFaults(options: FaultRunOptions): Promise<FaultReport> {
  const { seed, cycles, faults = nodeFaults, progressMs = 30_000, onCycle } = options;
  const random = new Random(seed);
  await using nats = await startNats();
  const cluster = await startCluster(3, { nats: nats.url });
  const mesh = new MeshReader();
  const injectedCounts = new Map<string, number>();
  const losses: Loss[] = [];
  const waits: number[] = [];
  let load: Load | undefined;
  try {
    load = await Load.start(cluster.urls);
    const running = load;
    const progress = async (): Promise<void> => {
      await running.progress(progressMs);
    };
    const check = async (): Promise<void> => {
      await checkEnd(cluster, running, losses);
      await mesh.check(cluster, nats.url, { withinMs: progressMs, lossCount: losses.length });
    };
    await progress();
    for (const [cycle, fault] of planOf(faults, cycles, random).entries()) {
      const loss = await fault.inject({ cluster, nats, load, random, progress });
      if (loss !== undefined) losses.push(loss);
      injectedCounts.set(fault.name, (injectedCounts.get(fault.name) ?? 0) + 1);
      const took = await load.progress(progressMs);
      waits.push(took);
      onCycle?.(cycle + 1, fault.name, took);
      // Also during the run, so that a long run finds an early error early.
      if ((cycle + 1) % checkEvery === 0) await check();
    }
    await load.stop();
    await check();
  } finally {
    await load?.close();
    await cluster.close();
  }
  const sorted = waits.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return {
    injectedCounts,
    acknowledgedCount: load.acknowledged.length,
    publishedCount: mesh.publishedCount,
    lostLocks: load.lossCount,
    progressMs: { median, max: sorted.at(-1) ?? 0 },
  };
}

/** First each fault once, then rounds in which each is as frequent as its weight; every round in a random order. */
function planOf(faults: readonly NodeFault[], cycles: number, random: Random): readonly NodeFault[] {
  const plan: NodeFault[] = [];
  for (let round = 0; plan.length < cycles; round += 1) {
    const left = faults.flatMap((fault) => Array.from({ length: round === 0 ? 1 : fault.weight }, () => fault));
    while (left.length > 0) plan.push(...left.splice(random.below(left.length), 1));
  }
  return plan.slice(0, cycles);
}
