/** The worker processes of a node as a service. */
import { join } from "node:path";
import { operatorTokenFile } from "../base/operator-token-file.ts";
import { defaultRoot } from "./open.ts";
import type { ServiceFactory } from "../services/service.ts";
import { ServiceKeeper } from "../services/service-keeper.ts";
import type { SupervisorParts } from "../services/supervised-service.ts";
import { workerProcesses } from "../services/worker-processes.ts";

export interface WorkerOptions {
  /** Number of processes; 0 starts none. */
  readonly count: number;
  /** The command line of this installation, such as `node holdfast.js`. */
  readonly command: readonly [string, ...string[]];
}

interface WorkedNode {
  readonly data: string;
  readonly journal?: unknown;
  readonly storageRoots?: Readonly<Record<string, string>>;
  readonly operatorToken?: string;
  readonly workers?: WorkerOptions;
}

interface KeeperParts extends SupervisorParts {
  /** The address of this server, once it listens. */
  readonly url: () => string;
}

export function workerKeeper(node: WorkedNode, { url, ...parts }: KeeperParts): ServiceKeeper {
  return new ServiceKeeper(workerServices(node, url), parts);
}

/** Maximum jobs of one process at the same time. A long backup does not delay the tiles of another project. */
const slots = 2;

/**
 * Each process connects to this server as its operator. Bytes of files need HTTP, so it cannot use the operator's
 * socket.
 */
function workerServices(node: WorkedNode, url: () => string): readonly ServiceFactory[] {
  const { data, journal, operatorToken, workers, storageRoots } = node;
  if (workers === undefined || workers.count === 0) return [];
  const [program, ...args] = workers.command;
  // Nodes of a shared journal must name their roots.
  const folders = storageRoots ?? (journal === undefined ? { main: defaultRoot(data) } : {});
  const roots = Object.entries(folders).map(([name, folder]) => `${name}=${folder}`);
  const token = operatorToken === undefined ? ["--token-file", join(data, operatorTokenFile)] : [];
  const command = (): readonly [string, ...string[]] => [
    program,
    ...[...args, "work", "workspace", "--url", ownAddress(url()), ...token],
    ...["--slots", String(slots), "--name", "workspace"],
    ...(roots.length === 0 ? [] : ["--storage-roots", roots.join(",")]),
  ];
  const env = { ...process.env, HOLDFAST_TOKEN: operatorToken ?? "" };
  return [workerProcesses({ count: workers.count, command, env })];
}

/** A server that listens on all addresses is reached on this host by the loopback address. */
function ownAddress(url: string): string {
  const address = new URL(url);
  if (address.hostname === "0.0.0.0") address.hostname = "127.0.0.1";
  if (address.hostname === "[::]") address.hostname = "[::1]";
  return address.origin;
}
