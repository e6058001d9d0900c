/** Three nodes over one Postgres. Each has its own link to the clients and to the database. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as Connection } from "pg";
import { freePort } from "../scenario/free-port.ts";
import { startTcpProxy } from "../nodes/tcp-proxy.ts";
import { startOwnPostgres } from "../scenario/private-postgres.ts";
import type { OwnPostgres } from "../scenario/private-postgres.ts";
import type { Deployment, DeploymentFault } from "./deployment.ts";
import { kill, pause } from "./one-server.ts";
import { ownNetwork } from "./own-network.ts";
import { ServerProcess } from "./server-process.ts";

interface Node {
  readonly url: string;
  readonly server: ServerProcess;
  readonly faults: readonly DeploymentFault[];
  readonly notThere: readonly string[];
  close(): Promise<void>;
}

export async function threeNodes(): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-history-"));
  const postgres = await startOwnPostgres({ isDurable: true });
  const operatorToken = randomBytes(24).toString("hex");
  const nodes: Node[] = [];
  for (const number of [1, 2, 3]) {
    nodes.push(await startNode({ folder: join(folder, String(number)), postgres, operatorToken }));
  }
  return {
    name: "three nodes over Postgres",
    urls: nodes.map(({ url }) => url),
    token: operatorToken,
    operatorToken,
    faults: [...nodes.flatMap(({ faults }) => faults), ...databaseFaults(postgres)],
    unsupported: [...new Set(nodes.flatMap(({ notThere }) => notThere))],
    log: () => nodes.map(({ server }) => server.log()).join("\n"),
    async close() {
      await Promise.all(nodes.map((node) => node.close()));
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface NodePlan {
  readonly folder: string;
  readonly postgres: OwnPostgres;
  readonly operatorToken: string;
}

async function startNode({ folder, postgres, operatorToken }: NodePlan): Promise<Node> {
  const network = ownNetwork();
  // The database listens on loopback only. A node in its own network reaches it through this proxy.
  const proxy = await startTcpProxy(postgres.url, { host: network.outside });
  const port = String(await freePort());
  const server = new ServerProcess({
    words: ["--data", folder, "--host", network.host, "--port", port],
    prefix: network.prefix,
    env: { HOLDFAST_OPERATOR_TOKEN: operatorToken, HOLDFAST_JOURNAL: proxy.url },
  });
  await server.start();
  return {
    url: `http://${network.host}:${port}`,
    server,
    faults: [kill(server), pause(server), ...network.faults],
    notThere: network.notThere,
    async close() {
      await server.stop();
      await proxy.close();
      network.remove();
    },
  };
}

function databaseFaults(postgres: OwnPostgres): readonly DeploymentFault[] {
  return [
    {
      name: "crash of Postgres",
      async inject() {
        await postgres.order("crash");
        await postgres.order("start");
      },
    },
    {
      name: "connections ended by Postgres",
      async inject() {
        const connection = new Connection({ connectionString: postgres.url });
        await connection.connect();
        await connection.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'holdfast%'",
        );
        await connection.end();
      },
    },
  ];
}
