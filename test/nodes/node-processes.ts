/** Nodes as real processes, `holdfast up --journal`, on their own Postgres that waits for its disk. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../scenario/free-port.ts";
import { holdfast } from "../scenario/holdfast-command.ts";
import { type Ended, type Program, startProgram } from "../scenario/program.ts";
import { type OwnPostgres, startOwnPostgres } from "../scenario/private-postgres.ts";

export interface NodeProcess {
  /** The same after every start. */
  readonly url: string;
  readonly folder: string;
  readonly program: Program;
  /** Starts it again at the same address, optionally as another build. */
  start(build?: Launch): Promise<void>;
  /** Stops it: SIGTERM in order, SIGKILL like a crash. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<Ended>;
  health(): Promise<NodeHealth>;
}

export interface NodeHealth {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly node: string;
  readonly journal: string;
  readonly nodes: number;
  readonly position: number;
  readonly lag: { readonly entries: number; readonly age_ms: number };
  readonly epoch: number | null;
  readonly rules: number;
}

export interface NodeCluster {
  readonly postgres: OwnPostgres;
  readonly nodes: readonly NodeProcess[];
  /** The addresses of all nodes, as an argument of `connect`. */
  readonly urls: readonly string[];
  readonly operatorToken: string;
  close(): Promise<void>;
}

export type Launch = (folder: string, settings: NodeSettings) => Program;

export interface NodeSettings {
  readonly journal: string;
  readonly port: number;
  readonly operatorToken: string;
  /** The nats-server of their mesh, if they use one. */
  readonly nats?: string;
}

export async function startCluster(count: number, more: Pick<NodeSettings, "nats"> = {}): Promise<NodeCluster> {
  const postgres = await startOwnPostgres({ isDurable: true });
  const folder = await mkdtemp(join(tmpdir(), "holdfast-nodes-"));
  const operatorToken = "one-token-for-the-operator-of-all-nodes";
  const nodes = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const port = await freePort();
      const settings = { journal: postgres.url, port, operatorToken, ...more };
      return nodeOf(join(folder, String(index)), settings);
    }),
  );
  // All at once, on an empty database: one makes the tables, the others wait for it.
  await Promise.all(nodes.map((node) => node.start()));
  return {
    ...{ postgres, nodes, operatorToken },
    urls: nodes.map(({ url }) => url),
    async close() {
      await Promise.all(nodes.map((node) => node.end("SIGKILL")));
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The build under test. */
function thisBuild(folder: string, { journal, port, operatorToken, nats }: NodeSettings): Program {
  const env = { HOLDFAST_JOURNAL: journal, HOLDFAST_OPERATOR_TOKEN: operatorToken, HOLDFAST_PORT: String(port) };
  const mesh = nats === undefined ? [] : ["--nats", nats];
  return holdfast(tmpdir(), ["up", "--json", "--data", folder, ...mesh], { env });
}

/** A build with newer rules. */
export function newerBuild(folder: string, { journal, port, operatorToken }: NodeSettings): Program {
  return startProgram(join(import.meta.dirname, "newer-node.ts"), [folder, String(port), journal, operatorToken]);
}

function nodeOf(folder: string, settings: NodeSettings): NodeProcess {
  let program: Program | undefined;
  const url = `http://127.0.0.1:${String(settings.port)}`;
  const running = (): Program => {
    if (program === undefined) throw new Error("this node was never started");
    return program;
  };
  return {
    url,
    folder,
    get program() {
      return running();
    },
    async start(build = thisBuild) {
      program = build(folder, settings);
      await program.line(/"event":"up"/);
    },
    end(signal) {
      running().signal(signal);
      return running().ended;
    },
    async health() {
      return (await (await fetch(`${url}/health`)).json()) as NodeHealth;
    },
  };
}
