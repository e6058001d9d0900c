/** Assembles the parts: features into a machine, a journal and an engine around it, and the client on top. */
import { join } from "node:path";
import { createClient, systemClientClock } from "@holdfast/sdk";
import type { Client, Transport } from "@holdfast/sdk";
import { withdrawableOperations, withdrawal } from "@holdfast/sdk/contract";
import { systemClock } from "../base/clock.ts";
import type { Clock } from "../base/clock.ts";
import { systemIds } from "../base/ids.ts";
import type { Ids } from "../base/ids.ts";
import { allChecks, appServices } from "../app/app-services.ts";
import type { AppServices } from "../app/app-services.ts";
import type { AppOperation } from "../app/calls/app-operation.ts";
import { requireRules } from "../app/calls/app-operations.ts";
import { doorCalls, inProcessTransport } from "../app/transport.ts";
import type { AppTransportOptions } from "../app/transport.ts";
import type { CheckObserver, CheckRunner } from "../checks/check.ts";
import { ThreadedCheckRunner } from "../checks/check-runner.ts";
import { openCheckThread } from "../checks/check-thread.ts";
import { CounterpartScopes } from "../engine/counterpart-scope.ts";
import { Engine } from "../engine/engine.ts";
import type { EngineOptions } from "../engine/engine.ts";
import { agentsFeature } from "../features/agents/agents.ts";
import { entitiesFeature } from "../features/entities/entities.ts";
import { entityTable } from "../features/entities/entity-table.ts";
import type { Kind } from "../features/entities/kind.ts";
import { locksFeature } from "../features/locks/locks.ts";
import { machineSettings, spaceFeature } from "../features/space/space.ts";
import { epochCommand, forkCommand } from "../features/space/epoch-command.ts";
import { erasedPosition } from "../features/space/erased-position.ts";
import { hashCommand, recordedHash } from "../features/space/hash-command.ts";
import { currentEpoch, erasedBy, erasuresAfter } from "../features/space/space-table.ts";
import { tokensFeature } from "../features/tokens/tokens.ts";
import type { Journal } from "../journal/journal.ts";
import { createMemoryDisk } from "../journal/memory/disk.ts";
import { openMemoryJournal } from "../journal/memory/open.ts";
import { openPostgresJournal } from "../journal/postgres/open.ts";
import { openSqliteJournal } from "../journal/sqlite/open.ts";
import { databaseWarning } from "./database-warning.ts";
import { raiseCarriedRules } from "../services/follow-rules.ts";
import type { ServiceFactory } from "../services/service.ts";
import { ServiceKeeper } from "../services/service-keeper.ts";
import { reportToStandardError } from "./holdfast-options.ts";
import type { HoldfastOptions } from "./holdfast-options.ts";
import { servicesOfNode } from "./services.ts";
import type { AuditLogOptions, StorageRootOptions } from "./services.ts";
import { refuseUnknownToggles, setComponents } from "./set-components.ts";
import type { ComponentOptions } from "./set-components.ts";
import type { Feature } from "../machine/feature.ts";
import { Machine } from "../machine/machine.ts";
import type { Calls } from "../operations/call.ts";
import { allPacks } from "../app/packs/all-packs.ts";

/**
 * The location of the journal: a folder, a Postgres database that several nodes may share (postgres://…), or memory for
 * tests.
 */
export type JournalLocation = string | { readonly memory: true } | SharedJournalLocation;

/** A journal that several nodes may share, and the space in it. */
export interface SharedJournalLocation {
  readonly journal: string;
  readonly space?: string;
}

/** Opens Holdfast in this process. */
export async function open(location: JournalLocation, options: HoldfastOptions = {}): Promise<Client> {
  return (await start(location, options)).client;
}

/** A running Holdfast of this process, as its operator sees it. */
export interface RunningNode {
  readonly client: Client;
  readonly services: AppServices;
  /** The parts next to the engine. Closing the client stops them before the engine. */
  readonly keeper: ServiceKeeper;
  /** Also available after the client is closed. */
  readonly summary: () => Promise<{ readonly position: number; readonly epoch: number; readonly entityCount: number }>;
}

/** Options that only the assembly sets. Callers of `open`, `serve` and `createRuntime` do not. */
export interface BuildOptions extends Pick<ComponentOptions, "areLocksOptIn"> {
  /** The rules numbers that this build knows, in order. Tests replace them. */
  readonly rules?: readonly number[];
  /** See EngineOptions. */
  readonly onBatch?: EngineOptions["onBatch"];
  /** The clock of the engine and its services. Tests move one. */
  readonly clock?: Clock;
  /** Further services. Tests add some. */
  readonly addedServices?: readonly ServiceFactory[];
  readonly checkObserver?: CheckObserver;
  readonly checkThreads?: number;
  /** The audit file of this node; none by default. */
  readonly auditLog?: AuditLogOptions | undefined;
  /** The address of this node for clients, which its storage roots announce. */
  readonly url?: string | undefined;
}

/** Starts an engine on a journal. If a stage fails, the stages before it are closed. */
export async function start(
  location: JournalLocation,
  options: HoldfastOptions & BuildOptions = {},
): Promise<RunningNode> {
  const { rules = knownRules, report = reportToStandardError, addedServices = [], auditLog } = options;
  refuseUnknownToggles(options.component_toggles);
  const storageRoots = storageRootsOf(location, options);
  await using opened = new AsyncDisposableStack();
  const journal = await openJournal(location, { ...options, rules });
  const engine = opened.adopt(await startEngine({ ...options, journal }), (started) => started.stop());
  if (journal.coordination === undefined) await raiseCarriedRules(engine, rules);
  await setComponents(engine, options);
  const services = servicesOf(engine, options);
  const keeper = new ServiceKeeper([...servicesOfNode({ journal, rules, auditLog, storageRoots }), ...addedServices], {
    services,
    report,
  });
  opened.defer(() => keeper.stop());
  await keeper.start();
  const client = clientOf(services, { ...options, beforeStop: () => keeper.stop() });
  // From here on, closing the client stops the engine.
  opened.move();
  return {
    client,
    services,
    keeper,
    summary: () =>
      engine.read((state) => ({
        position: engine.head.position,
        epoch: currentEpoch(state),
        entityCount: state.rows(entityTable).size,
      })),
  };
}

/** A journal in a folder has the root `main` next to it. Nodes of a shared journal must name theirs. */
function storageRootsOf(location: JournalLocation, options: HoldfastOptions & BuildOptions): StorageRootOptions {
  const { storageRoots: roots, allowNetworkRoot: allowsNetwork = false, url } = options;
  if (roots !== undefined) return { roots, areNamed: true, allowsNetwork, url };
  const isFolder = typeof location === "string" && !isDatabase(location);
  return { roots: isFolder ? { main: defaultRoot(location) } : {}, areNamed: false, allowsNetwork, url };
}

/** The folder of the root `main` of a data folder. */
export function defaultRoot(data: string): string {
  return join(data, "files");
}

const isDatabase = (journal: string): boolean => /^postgres(ql)?:\/\//u.test(journal);

async function openJournal(
  location: JournalLocation,
  options: HoldfastOptions & { rules: readonly number[] },
): Promise<Journal> {
  const { report = reportToStandardError } = options;
  if (typeof location !== "string" && "memory" in location) return openMemoryJournal(createMemoryDisk());
  const { journal, space = "main" } = typeof location === "string" ? { journal: location } : location;
  if (!isDatabase(journal)) return openFolder(journal, report);
  const warning = databaseWarning(journal);
  if (warning !== undefined) report(warning, undefined);
  const rules = Math.max(...options.rules);
  return openPostgresJournal({ url: journal, space, rules, clock: systemClock, onError: report });
}

/** Opens the journal of a data folder as its owner, in the same way for every writer. */
export function openFolder(folder: string, report = reportToStandardError): Promise<Journal> {
  return openSqliteJournal({
    folder,
    startedAt: new Date(systemClock.wallMs()).toISOString(),
    newId: () => systemIds.unique(),
    yieldToLoop: () =>
      new Promise((resolve) => {
        systemClock.soon(resolve);
      }),
    onRepair: (warning) => {
      report(warning, undefined);
    },
    onIndexError: (error) => {
      report("the index of the journal could not be written; it stays in memory until it can", error);
    },
    onCheckpointError: (error) => {
      report("the saved state was unusable and was deleted; the journal is folded again", error);
    },
    onUpkeepError: (error) => {
      report("an interrupted archive or erasure could not be finished; the next start tries again", error);
    },
  });
}

interface StartOptions extends HoldfastOptions, BuildOptions {
  readonly journal: Journal;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Entries between two checkpoints. */
  readonly checkpointEvery?: number;
}

/** Starts an engine, which then owns the journal and closes it. If the engine cannot start, the journal is closed here. */
export async function startEngine(options: StartOptions): Promise<Engine> {
  const { rules = knownRules } = options;
  const { journal, kinds = [], clock = systemClock, ids = systemIds, report = reportToStandardError } = options;
  try {
    return await Engine.start({
      checkpointEvery: options.checkpointEvery,
      onBatch: options.onBatch,
      journal,
      createMachine: () => machineOf(kinds, rules),
      clock,
      ids,
      afterLoss: (lost) => epochCommand(ids.unique(), lost, "the journal is behind what this node had folded"),
      afterFork: (state, fork, time) => forkCommand(ids.unique(), state, fork, time),
      erasures: { requestedAfter: erasuresAfter, erasedBy, erasedPosition },
      counterparts: new CounterpartScopes({ operation: withdrawal, of: withdrawableOperations }),
      recordHash: hashCommand,
      recordedHash,
      report,
    });
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/**
 * The rules numbers that this build knows, in order. A journal starts with the first. After a release, a changed
 * decision gets the next number, and the released one stays callable.
 */
export const knownRules: readonly number[] = [1];

export function machineOf(kinds: readonly Kind[], rules: readonly number[] = knownRules): Machine {
  return new Machine({ features: featuresOf(kinds), knownRules: rules, settings: machineSettings });
}

/** All features of a machine, those of the packs included. */
export function featuresOf(kinds: readonly Kind[]): readonly Feature[] {
  return [
    ...[spaceFeature, tokensFeature, agentsFeature, locksFeature],
    entitiesFeature([...allPacks.flatMap((pack) => pack.kinds), ...kinds]),
    ...allPacks.map(({ feature }) => feature),
  ];
}

interface ServicesOptions {
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly kinds?: readonly Kind[];
  /** Runs the checks of kinds and packs; in a thread by default. */
  readonly checks?: CheckRunner;
  readonly checkObserver?: CheckObserver | undefined;
  readonly checkThreads?: number;
  readonly report?: EngineOptions["report"];
}

/** The services of an engine, with the clock and the ids of this process unless others are given. */
export function servicesOf(engine: Engine, options: ServicesOptions = {}): AppServices {
  const { clock = systemClock, ids = systemIds, kinds = [] } = options;
  const checks = options.checks ?? threadedRunner(engine, options);
  const services = appServices(engine, { clock, ids, kinds, checks });
  requireRules(services.operations, new Set(featuresOf(kinds).flatMap(({ rules }) => Object.keys(rules))));
  return services;
}

function threadedRunner(engine: Engine, options: ServicesOptions): CheckRunner {
  const { clock = systemClock, kinds = [], report = reportToStandardError, checkObserver, checkThreads } = options;
  const observer = checkObserver ?? { onCheck: () => undefined, onRounds: () => undefined };
  return new ThreadedCheckRunner({
    checks: allChecks(kinds),
    source: engine,
    clock,
    openPort: openCheckThread,
    observer,
    report,
    threads: checkThreads,
  });
}

export interface SpeakerOptions extends HoldfastOptions {
  readonly caller?: string;
  /** Whether an agent must send its secret. */
  readonly requiresAgentSecret?: boolean;
  /** The operator's token, if this process may replace it. */
  readonly operatorRotation?: AppTransportOptions["operatorRotation"];
  /** Runs before the engine stops. */
  readonly beforeStop?: () => Promise<void>;
}

export function clientOf(services: AppServices, options: SpeakerOptions = {}): Client {
  const { clock, ids } = services;
  // Bound, not spread: the clock of a test may be an instance of a class.
  const time = {
    monotonicMs: () => clock.monotonicMs(),
    wallMs: () => clock.wallMs(),
    after: clock.after.bind(clock),
    soon: clock.soon.bind(clock),
    random: () => systemClientClock.random(),
    unique: () => ids.unique(),
  };
  return createClient(transportOf(services, options), { clock: time, ...options.client });
}

export function transportOf(services: AppServices, options: SpeakerOptions = {}): Transport {
  const { principal = "local", caller = "in-process" } = options;
  return inProcessTransport({ ...transportPartsOf(services, options), speaker: { principal, caller } });
}

/** The calls of doors on one engine, for many callers. Their shared parts are made once. */
export function doorCallsOf(
  services: AppServices,
  options: Pick<SpeakerOptions, "requiresAgentSecret" | "operatorRotation">,
): (speaker: { readonly principal: string; readonly caller: string }) => Calls<AppOperation> {
  const parts = transportPartsOf(services, options);
  return (speaker) => doorCalls({ ...parts, speaker });
}

function transportPartsOf(services: AppServices, options: SpeakerOptions): Omit<AppTransportOptions, "speaker"> {
  const { requiresAgentSecret = false, operatorRotation, beforeStop } = options;
  const { engine, agents, operations, checks } = services;
  const close = async (): Promise<void> => {
    // Collected activity is sent before the engine stops accepting commands.
    agents.activity.flush();
    if (beforeStop !== undefined) await beforeStop();
    await Promise.all([engine.stop(), checks.close()]);
  };
  return { services, operations, close, requiresAgentSecret, operatorRotation };
}

/** The commands of kinds, each with its entity type. */
export function kindCommandsOf(kinds: readonly Kind[]): ReadonlyMap<string, string> {
  return new Map(
    kinds.flatMap(({ type, commands }) => commands.map(({ operation }) => [operation.name, type] as const)),
  );
}
