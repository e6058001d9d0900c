/**
 * Attaches metrics and logs to a server. They have two sources: the batches that the engine appends, and the transports
 * that the gate returns. So features and doors do not depend on them.
 */
import { isRejection } from "../access/gate.ts";
import type { Gate } from "../access/gate.ts";
import { systemClock } from "../base/clock.ts";
import type { Clock } from "../base/clock.ts";
import { monitorProcess } from "../base/monitor-process.ts";
import type { Engine, EngineOptions } from "../engine/engine.ts";
import { agentTable } from "../features/agents/agent-table.ts";
import { holdTable, ticketTable } from "../features/locks/tables/lock-tables.ts";
import { openRunCounts } from "../packs/intents/intent-table.ts";
import { fileSample } from "../packs/files/file-sample.ts";
import { jobSample } from "../packs/jobs/job-sample.ts";
import { currentEpoch, spaceRow } from "../features/space/space-table.ts";
import { CallMetrics } from "../observe/call-metrics.ts";
import { CheckMetrics } from "../observe/check-metrics.ts";
import type { CheckSample } from "../observe/check-metrics.ts";
import type { CheckObserver } from "../checks/check.ts";
import { FileMetrics } from "../observe/file-metrics.ts";
import { IntentMetrics } from "../observe/intent-metrics.ts";
import { JobMetrics } from "../observe/job-metrics.ts";
import { ProgramMetrics } from "../observe/program-metrics.ts";
import { logCall } from "../observe/log-call.ts";
import { EntryMetrics } from "../observe/entry-metrics.ts";
import { openLog } from "../observe/log.ts";
import type { Log, LogOptions } from "../observe/log.ts";
import { MeshMetrics } from "../observe/mesh-metrics.ts";
import type { MeshSample } from "../observe/mesh-metrics.ts";
import { createMetrics } from "../observe/metrics.ts";
import { ServiceMetrics } from "../observe/service-metrics.ts";
import type { ServiceSample } from "../observe/service-metrics.ts";
import { NodeGauges } from "../observe/node-gauges.ts";
import type { NodeSample } from "../observe/node-gauges.ts";
import { observedCalls } from "../observe/observed-calls.ts";
import { storageRootPrefix } from "../services/storage/storage-root-service.ts";

interface ObservationOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly version: string;
}

export interface Observation {
  /** For the engine: its appends are counted, its reports are logged. */
  readonly onBatch: NonNullable<EngineOptions["onBatch"]>;
  readonly report: EngineOptions["report"];
  /** The engine and the services whose metrics are read, once they run. */
  readonly follow: (engine: Engine, services?: () => ServiceSample) => void;
  /** Counts the runs of checks. */
  readonly checkObserver: CheckObserver;
  /** The checks whose metrics are read. */
  readonly followChecks: (sample: () => CheckSample, names: readonly string[]) => void;
  /** The NATS door whose metrics are read, if there is one. */
  readonly followMesh: (sample: () => MeshSample) => void;
  /** Logs information. */
  readonly notice: (message: string) => void;
  /** The same gate with every call counted. */
  readonly gate: (gate: Gate) => Gate;
  /** All metrics in the text format of Prometheus. */
  readonly metricsText: () => Promise<string>;
  readonly close: () => void;
}

/** The times of entries of the engine, which is known later than the metrics. */
function entryTimes(engineOf: () => Engine | undefined): ConstructorParameters<typeof EntryMetrics>[2] {
  return {
    recent: (position) => engineOf()?.recentEntry(position)?.time,
    at: async (positions) => ((await engineOf()?.entriesAt(positions)) ?? []).map(({ time }) => time),
  };
}

export function openObservation(options: ObservationOptions): Observation {
  const { log, clock } = options;
  const metrics = createMetrics();
  const gauges = new NodeGauges(metrics.registry, options.version);
  const mesh = new MeshMetrics(metrics.registry);
  const services = new ServiceMetrics(metrics.registry);
  const checks = new CheckMetrics(metrics.registry);
  let sampleChecks: (() => CheckSample) | undefined;
  let sampleMesh: (() => MeshSample) | undefined;
  let sampleServices: (() => ServiceSample) | undefined;
  const calls = new CallMetrics(metrics);
  const processMonitor = monitorProcess();
  let engine: Engine | undefined;
  const packs = packMetricsOf(metrics.registry);
  const times = entryTimes(() => engine);
  const entries = new EntryMetrics(metrics, packs, times);
  const observer = {
    monotonicMs: () => clock.monotonicMs(),
    record(call: Parameters<typeof logCall>[1]) {
      calls.record(call);
      logCall(log, call);
    },
  };
  return {
    onBatch: (batch) => {
      entries.record(batch);
    },
    report: (message, cause) => {
      log.write("error", "problem", { message, reason: reasonOf(cause), position: engine?.head.position });
    },
    follow(running, services) {
      engine = running;
      sampleServices = services;
    },
    checkObserver: checks,
    followChecks(sample, names) {
      sampleChecks = sample;
      checks.begin(names);
    },
    followMesh(sample) {
      sampleMesh = sample;
    },
    notice: (message) => {
      log.write("info", "notice", { message });
    },
    gate: (gate) => observedGate(gate, { calls, log, observer }),
    async metricsText() {
      const process = processMonitor.sample();
      metrics.processCpu.series({}).count = process.cpuSeconds;
      if (sampleChecks !== undefined) checks.set(sampleChecks());
      if (sampleMesh !== undefined) mesh.set(sampleMesh());
      const running = sampleServices?.() ?? {};
      services.set(running);
      if (engine !== undefined) {
        gauges.set(await sampleNode(engine), process);
        await samplePacks(engine, packs, running);
      }
      return metrics.registry.metrics();
    },
    close() {
      processMonitor.stop();
      log.close();
    },
  };
}

type PackMetrics = ConstructorParameters<typeof EntryMetrics>[1];

function packMetricsOf(registry: ReturnType<typeof createMetrics>["registry"]): PackMetrics {
  return {
    intents: new IntentMetrics(registry),
    jobs: new JobMetrics(registry),
    files: new FileMetrics(registry),
    programs: new ProgramMetrics(registry),
  };
}

async function samplePacks(
  engine: Engine,
  { intents, jobs, files }: PackMetrics,
  services: ServiceSample,
): Promise<void> {
  intents.set(await engine.scan(openRunCounts));
  jobs.set(await engine.scan(jobSample), engine.now());
  files.set(await engine.scan(fileSample), rootDetailsOf(services));
}

/** The details of the services of storage roots. */
function rootDetailsOf(services: ServiceSample): { readonly roots: readonly unknown[] } {
  const ofRoots = Object.entries(services).filter(([name]) => name.startsWith(storageRootPrefix));
  const rootsOf = (details: unknown): readonly unknown[] =>
    ((details ?? {}) as { readonly roots?: readonly unknown[] }).roots ?? [];
  return { roots: ofRoots.flatMap(([, { details }]) => rootsOf(details)) };
}

interface GateObservers {
  readonly calls: CallMetrics;
  readonly log: ObservationOptions["log"];
  readonly observer: Parameters<typeof observedCalls>[2];
}

/** The gate with metrics and logs of its callers and of those that it rejects. */
function observedGate(gate: Gate, { calls, log, observer }: GateObservers): Gate {
  return {
    ...gate,
    noteRejection(door, rejection) {
      const { code } = rejection;
      calls.recordRejection(door, code);
      log.write("warn", "caller.rejected", { door, code });
      gate.noteRejection(door, rejection);
    },
    admit(credentials) {
      const caller = gate.admit(credentials);
      if (isRejection(caller)) return caller;
      const { door } = credentials;
      const { principal, calls: inner } = caller;
      return { ...caller, calls: observedCalls(inner, { door, principal }, observer) };
    },
  };
}

/** Opens metrics, and logs if they are enabled. Reports of the engine go to the log and to the caller of the server. */
export function observationOf(options: {
  readonly log?: Omit<LogOptions, "clock">;
  readonly report: EngineOptions["report"];
  readonly version: string;
}): Observation {
  const { log, version } = options;
  const silentLog = { level: "silent", format: "json", write: () => undefined } as const;
  const observation = openObservation({
    log: openLog({ ...(log ?? silentLog), clock: systemClock }),
    clock: systemClock,
    version,
  });
  return {
    ...observation,
    report: (message, cause) => {
      observation.report(message, cause);
      options.report(message, cause);
    },
  };
}

/** Counts come from the state, so they are correct after a start and on a node that only follows. */
async function sampleNode(engine: Engine): Promise<NodeSample> {
  const { head, isWritable, pendingCount, outageMs, saved, subscriberCount } = engine.health();
  const counted = await engine.scan((state) => {
    const holds = state.rows(holdTable);
    return {
      epoch: currentEpoch(state),
      stateBytes: state.bytes,
      stateBytesMax: spaceRow(state).settings.state_bytes_max,
      agentCount: state.rows(agentTable).size,
      ticketCount: state.rows(ticketTable).size,
      heldPaths: { read: holds.count("read"), upgradeable: holds.count("upgradeable"), write: holds.count("write") },
    };
  });
  return {
    ...counted,
    headPosition: head.position,
    waitingCommands: pendingCount,
    isWritable,
    outageMs,
    checkpointPosition: saved?.position ?? 0,
    checkpointAgeMs: head.position === (saved?.position ?? 0) ? 0 : engine.now() - (saved?.time ?? engine.now()),
    subscriberCount,
  };
}

function reasonOf(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  return cause instanceof Error ? cause.message : JSON.stringify(cause);
}
