/** Faults of real nodes on a real Postgres and a real nats-server. A fault ends when it returns, and reports lost history. */
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
  /** Fails if a worker does not progress in time. */
  readonly progress: () => Promise<void>;
}

/** History that a restore took away, and the epoch that began because of it. */
export interface Loss {
  /** A write that was acknowledged after this time in an earlier epoch may be gone. */
  readonly savedAtMs: number;
  readonly epoch: number;
}

export interface NodeFault {
  readonly name: string;
  /** How frequent it is, compared with the others. */
  readonly weight: number;
  readonly inject: (target: FaultTarget) => Promise<Loss | undefined>;
}

export const nodeFaults: readonly NodeFault[] = [
  { name: "connections cut in the middle of appends", weight: 10, inject: cutConnections },
  { name: "node killed", weight: 3, inject: killNode },
  { name: "node asleep beyond the lease", weight: 2, inject: sleepNode },
  { name: "node restarted", weight: 1, inject: restartNode },
  { name: "Postgres crashed", weight: 3, inject: crashPostgres },
  { name: "older backup restored", weight: 1, inject: restoreBackup },
  { name: "nats-server killed", weight: 2, inject: killNats },
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

/** The other nodes progress without it before it starts again. */
async function killNode(target: FaultTarget): Promise<undefined> {
  const node = anyNode(target);
  await node.end("SIGKILL");
  await target.progress();
  await node.start();
}

async function restartNode(target: FaultTarget): Promise<undefined> {
  const node = anyNode(target);
  await node.end("SIGTERM");
  await node.start();
}

async function sleepNode(target: FaultTarget): Promise<undefined> {
  const { program } = anyNode(target);
  program.signal("SIGSTOP");
  await pause(beyondLeaseMs);
  program.signal("SIGCONT");
}

async function crashPostgres({ cluster: { postgres } }: FaultTarget): Promise<undefined> {
  await postgres.order("crash");
  await postgres.order("start");
}

/** The nodes continue without it, briefly or for longer. The events of that time are published when it is back. */
async function killNats({ nats, random, progress }: FaultTarget): Promise<undefined> {
  await nats.kill();
  if (random.below(2) === 0) await progress();
  await nats.start();
}

/**
 * Maximum rounds of progress until every node has noticed a restore. All clients may use one node during a round. The others
 * notice at their next contact with the journal, and a node that loads its state again has no epoch.
 */
const noticeRounds = 50;

/** Writes since the copy are gone. Every node must notice that and begin a new epoch. */
async function restoreBackup(target: FaultTarget): Promise<Loss> {
  const { cluster, load } = target;
  const { postgres, nodes } = cluster;
  await postgres.order("crash");
  const savedAtMs = performance.now();
  await postgres.order("save");
  await postgres.order("start");
  await target.progress();
  const before = load.acknowledged.reduce((max, { epoch }) => Math.max(max, epoch), 0);
  await postgres.order("crash");
  await postgres.order("restore");
  await postgres.order("start");
  let epochs: readonly (number | null)[] = [];
  for (let round = 0; round < noticeRounds; round += 1) {
    await target.progress();
    epochs = await Promise.all(nodes.map(async (node) => (await node.health()).epoch));
    const epoch = Math.min(...epochs.map((each) => each ?? 0));
    if (epoch > before) return { savedAtMs, epoch };
  }
  throw new Error(`an older backup was not noticed: epochs ${epochs.join()} after ${String(before)}`);
}
