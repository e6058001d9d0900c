/** Holdfast as a server: an engine on a journal, the gate in front of it, and the doors in front of the gate. */
import { defined } from "@holdfast/sdk/base/defined";
import { limitConnections } from "../access/limit-connections.ts";
import { defaultAccessLimits } from "../access/limits.ts";
import type { Gate } from "../access/gate.ts";
import { hostNamesOf } from "../access/listening-rules.ts";
import { writeAddressFile } from "./address-file.ts";
import { systemClock } from "../base/clock.ts";
import { systemIds } from "../base/ids.ts";
import { StartError } from "../base/start-error.ts";
import { packageVersion } from "../base/package-version.ts";
import { openHttpDoor } from "../doors/http/open.ts";
import type { Health } from "../doors/http/open.ts";
import { openSocketDoor } from "../doors/socket/open.ts";
import { currentEpoch } from "../features/space/space-table.ts";
import { jobSample } from "../packs/jobs/job-sample.ts";
import { machineSettings } from "../features/space/space.ts";
import type { AppServices } from "../app/app-services.ts";
import type { CheckRunner } from "../checks/check.ts";
import type { Engine } from "../engine/engine.ts";
import type { ServiceKeeper } from "../services/service-keeper.ts";
import { openMesh } from "./mesh.ts";
import type { MeshOptions, NatsDoor, NatsStatus } from "./mesh.ts";
import { makeNodeFolder } from "./node-folder.ts";
import { openOperatorSocket } from "./operator-socket.ts";
import { observationOf } from "./observation.ts";
import type { Observation } from "./observation.ts";
import type { LogOptions } from "../observe/log.ts";
import { serveGate } from "./serve-gate.ts";
import type { AccessOptions } from "./serve-gate.ts";
import { reportToStandardError } from "./holdfast-options.ts";
import type { HoldfastOptions } from "./holdfast-options.ts";
import { start } from "./open.ts";
import { workerKeeper } from "./worker-keeper.ts";
import type { WorkerOptions } from "./worker-keeper.ts";
import type { AuditLogOptions } from "./services.ts";
import type { BuildOptions, RunningNode, SharedJournalLocation } from "./open.ts";

export interface ServeOptions
  extends HoldfastOptions, AccessOptions, Pick<BuildOptions, "rules" | "addedServices" | "clock"> {
  /** The data folder of this node: its address, its operator's token and, unless `journal` is set, its journal. */
  readonly data: string;
  /** The journal, if it is in a database that several nodes share. */
  readonly journal?: SharedJournalLocation;
  readonly host: string;
  readonly port: number;
  /** The NATS connection; none by default. */
  readonly nats?: MeshOptions;
  /** The audit file in the data folder; none by default. */
  readonly auditLog?: Omit<AuditLogOptions, "data">;
  /** Number of threads for checks; 1 by default. */
  readonly checkThreads?: number;
  /** The address of this node for clients, if it is not that of `host` and `port`. Its storage roots announce it. */
  readonly publicUrl?: string;
  /** Processes for the jobs of the workspace; none by default. */
  readonly workers?: WorkerOptions;
  /** Logs; off by default. */
  readonly log?: Omit<LogOptions, "clock">;
}

/** A running server, as its caller sees it. */
export interface RunningServer {
  readonly url: string;
  readonly summary: RunningNode["summary"];
  /** The status of the NATS door after the start, with the known limitations of the NATS server's version. */
  readonly nats: (NatsStatus & { readonly warnings: readonly string[] }) | undefined;
  /** Closes the doors, answers pending calls, and closes the journal. */
  close(): Promise<void>;
}

/** Starts a server. If a stage fails, the stages before it are closed, so that the folder and the port are free again. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { data, journal, host, port, auditLog } = options;
  await using opened = new AsyncDisposableStack();
  const version = packageVersion();
  const node = systemIds.unique().slice(0, 12);
  const observation = observationOf({ report: reportToStandardError, ...options, version });
  opened.defer(() => observation.close());
  const { onBatch, checkObserver, report, metricsText } = observation;
  if (journal !== undefined) makeNodeFolder(data, report);
  const { client, services, keeper, summary } = await start(journal ?? data, {
    ...options,
    auditLog: auditLog && { ...auditLog, data },
    report,
    onBatch,
    checkObserver,
    url: announcedUrl(options),
  });
  opened.defer(() => client.close());
  const { engine, operations, checks } = services;
  const checksLoaded = checks.start();
  observation.followChecks(() => checks.status(), checks.names);
  const workers = workerKeeper(options, { services, report, url: () => http.url });
  const serviceStatus = (): ReturnType<ServiceKeeper["status"]> => ({ ...keeper.status(), ...workers.status() });
  observation.follow(engine, serviceStatus);
  const gate = observation.gate(await serveGate(services, { ...options, report }));
  const mesh = await serveMesh(services, gate, options, observation);
  opened.defer(() => mesh?.close());
  const hostNames = hostNamesOf({ host, names: options.allowedHosts ?? [] });
  const http = await openHttpDoor({
    host,
    port,
    gate,
    operations,
    hostNames,
    clock: systemClock,
    report,
    metricsText,
    version,
    health: () =>
      healthOf(
        { engine, checks, mesh, serviceStatus },
        { node, version, journal: journal === undefined ? "sqlite" : "postgres" },
      ),
  });
  opened.defer(() => http.close());
  const { server, url } = http;
  const limits = { ...defaultAccessLimits, ...options.limits };
  limitConnections(server, { perAddressMax: limits.connectionsPerAddressMax, totalMax: limits.connectionsMax });
  const sockets = { gate, operations, hostNames, clock: systemClock, ids: systemIds, version, report };
  const socket = openSocketDoor({ ...sockets, server });
  opened.defer(() => socket.close());
  const operator = await openOperatorSocket(data, (path) => http.listenOnSocket(path));
  if (operator !== undefined) {
    opened.defer(() => operator.remove());
    const operatorDoor = openSocketDoor({ ...sockets, server: operator.server });
    opened.defer(() => operatorDoor.close());
  }
  await checksLoaded;
  opened.defer(writeAddressFile(data, url, operator?.elsewhere));
  // Workers are clients of the doors, so they start after these and stop before them. The server is up without them.
  void workers.start();
  opened.defer(() => workers.stop());
  const parts = opened.move();
  return {
    url,
    summary,
    nats: mesh && { ...mesh.status(), warnings: mesh.warnings() },
    close: () => parts.disposeAsync(),
  };
}

/** The address for clients. A port that the system chooses is not known yet, and a wildcard is not an address. */
function announcedUrl({ publicUrl, host, port }: ServeOptions): string | undefined {
  if (publicUrl !== undefined) return parsedPublicUrl(publicUrl);
  if (port === 0 || host === "0.0.0.0" || host === "::") return undefined;
  return `http://${host.includes(":") ? `[${host}]` : host}:${String(port)}`;
}

function parsedPublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/u.test(url.protocol) && url.username === "" && url.search === "") return url.href;
  throw new StartError(`public_url is not the address of a server: "${text}". Use one such as https://node-1.example.`);
}

/** The NATS door, if configured, behind the same gate as every other door. */
async function serveMesh(
  services: AppServices,
  gate: Gate,
  { nats, kinds = [], requireToken }: ServeOptions,
  { report, notice, followMesh }: Observation,
): Promise<NatsDoor | undefined> {
  if (nats === undefined) return undefined;
  if (nats.principal !== undefined && requireToken === true) {
    throw new StartError(
      "require_token requires a token from every caller, and nats_principal admits callers without one: remove one of them",
    );
  }
  const door = await openMesh(nats, { services, gate, kinds, report, notice });
  followMesh(() => {
    const { ready, behind } = door.status();
    return { isReady: ready, behind, counters: door.counters };
  });
  return door;
}

type NodeIdentity = Pick<Health, "node" | "version" | "journal">;

interface NodeParts {
  readonly engine: Engine;
  readonly checks: CheckRunner;
  readonly mesh: NatsDoor | undefined;
  readonly serviceStatus: ServiceKeeper["status"];
}

async function healthOf({ engine, checks, mesh, serviceStatus }: NodeParts, identity: NodeIdentity): Promise<Health> {
  const { head, reasons, lag, nodeCount } = engine.health();
  const known = engine.peek((state) => ({ epoch: currentEpoch(state), rules: machineSettings(state).rules }));
  return defined({
    live: true,
    ready: reasons.length === 0,
    reasons,
    ...identity,
    nodes: nodeCount,
    position: head.position,
    lag: { entries: lag.entries, age_ms: lag.ageMs },
    epoch: known?.epoch ?? null,
    rules: known?.rules ?? null,
    // A failing mesh or service does not make the node unready: callers of the other doors need not use another node.
    components: mesh === undefined ? undefined : { nats: mesh.status() },
    services: serviceStatus(),
    jobs: reasons.length === 0 ? await jobHealth(engine) : null,
    checks: checks.status(),
  });
}

async function jobHealth(engine: Engine): Promise<Health["jobs"]> {
  const { workers, states, oldestAt } = await engine.scan(jobSample);
  const oldest = oldestAt === undefined ? null : Math.max(0, engine.now() - oldestAt);
  const { running, ready, failed } = states;
  return { workers, running, ready, failed, oldest_ready_ms: oldest };
}
