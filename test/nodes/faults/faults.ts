/** What happens to real nodes on a real Postgres and a real nats-server. Each fault is over when it returns; what it may have lost it says. */
import { Client as Connection } from "pg";
import type { PrivateNats } from "../../mesh/private-nats.ts";
import type { Random } from "../../simulation/random.ts";
import type { NodeCluster, NodeProcess } from "../node-processes.ts";
import { beyondLeaseMs, type Load } from "./load.ts";
import { pause } from "./worker.ts";

export interface FaultTarget {
  readonly cluster: NodeCluster;
  readonly nats: PrivateNats;
  readonly load: Load;
  readonly random: Random;
  /** Fails if not everybody gets on within the time that is allowed. */
  readonly progress: () => Promise<void>;
}

/** History that was taken away underneath, and the epoch that began because of it. */
export interface Loss {
  /** What was acknowledged after this, in an earlier epoch, may be gone. */
  readonly savedAtMs: number;
  readonly epoch: number;
}

export interface NodeFault {
  readonly name: string;
  /** How often it is drawn, among all. */
  readonly weight: number;
  readonly strike: (place: FaultTarget) => Promise<Loss | undefined>;
}

export const nodeFaults: readonly NodeFault[] = [
  { name: "connections cut in the middle of appends", weight: 10, strike: cutConnections },
  { name: "node killed", weight: 3, strike: killNode },
  { name: "node asleep beyond the lease", weight: 2, strike: sleepNode },
  { name: "node restarted", weight: 1, strike: restartNode },
  { name: "Postgres crashed", weight: 3, strike: crashPostgres },
  { name: "older backup restored underneath", weight: 1, strike: restoreBackup },
  { name: "nats-server killed", weight: 2, strike: killNats },
];

function anyNode({ cluster, random }: FaultTarget): NodeProcess {
  const node = cluster.nodes[random.below(cluster.nodes.length)];
  if (node === undefined) throw new Error("a cluster without nodes");
  return node;
}

async function cutConnections({ cluster, random }: FaultTarget): Promise<undefined> {
  const whose = random.below(3) === 0 ? "holdfast %" : "holdfast writer";
  const connection = new Connection({ connectionString: cluster.postgres.url });
  await connection.connect();
  try {
    for (let cuts = random.between(1, 6); cuts > 0; cuts -= 1) {
      await connection.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE $1", [
        whose,
      ]);
      await pause(random.between(0, 30));
    }
  } finally {
    await connection.end();
  }
}

/** The others go on without it; only then it comes back. */
async function killNode(place: FaultTarget): Promise<undefined> {
  const node = anyNode(place);
  await node.end("SIGKILL");
  await place.progress();
  await node.start();
}

async function restartNode(place: FaultTarget): Promise<undefined> {
  const node = anyNode(place);
  await node.end("SIGTERM");
  await node.start();
}

async function sleepNode(place: FaultTarget): Promise<undefined> {
  const { program } = anyNode(place);
  program.signal("SIGSTOP");
  await pause(beyondLeaseMs);
  program.signal("SIGCONT");
}

async function crashPostgres({ cluster: { postgres } }: FaultTarget): Promise<undefined> {
  await postgres.order("crash");
  await postgres.order("start");
}

/** Everything else goes on without it, for a moment or for longer; what happened meanwhile is told when it is back. */
async function killNats({ nats, random, progress }: FaultTarget): Promise<undefined> {
  await nats.kill();
  if (random.below(2) === 0) await progress();
  await nats.start();
}

/** What was acknowledged since the copy was made is gone, and that must be noticed: a new epoch begins at every node. */
async function restoreBackup(place: FaultTarget): Promise<Loss> {
  const { cluster, load } = place;
  const { postgres, nodes } = cluster;
  await postgres.order("crash");
  const savedAtMs = performance.now();
  await postgres.order("save");
  await postgres.order("start");
  await place.progress();
  const before = Math.max(...load.acknowledged.map(({ epoch }) => epoch));
  await postgres.order("crash");
  await postgres.order("restore");
  await postgres.order("start");
  await place.progress();
  const epochs = await Promise.all(nodes.map(async (node) => (await node.health()).epoch));
  const epoch = Math.min(...epochs);
  if (epoch > before) return { savedAtMs, epoch };
  throw new Error(`an older backup was not noticed: epochs ${epochs.join()} after ${String(before)}`);
}
