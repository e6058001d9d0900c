import { defined } from "@holdfast/sdk/base/defined";
import { AsyncLocalStorage } from "node:async_hooks";
import { canonicalValue } from "../../sdk/src/json/canonical-value.ts";
import { inputLimits } from "../../sdk/src/json/input-limits.ts";
import type { Speaker } from "../../server/src/app/calls/app-operation.ts";
import { runCall } from "../../server/src/app/calls/run-call.ts";
import { unrecordedReply } from "../../server/src/app/calls/unrecorded-reply.ts";
import { engineServices } from "../../server/src/app/engine-services.ts";
import type { EngineServices } from "../../server/src/app/engine-services.ts";
import type { NoticeBox } from "../../server/src/app/notices/notice-box.ts";
import { cursorAt } from "../../server/src/app/watch/entry-events.ts";
import { watch } from "../../server/src/app/watch/watch.ts";
import { CounterpartScopes } from "../../server/src/engine/counterpart-scope.ts";
import { Engine } from "../../server/src/engine/engine.ts";
import { forkCommand } from "../../server/src/features/space/epoch-command.ts";
import { erasedPosition } from "../../server/src/features/space/erased-position.ts";
import { hashCommand, recordedHash } from "../../server/src/features/space/hash-command.ts";
import { currentEpoch, erasedBy, erasuresAfter } from "../../server/src/features/space/space-table.ts";
import { appendBatch } from "../../server/src/journal/memory/append.ts";
import type { MemoryDisk, MemoryStore } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import type { SealedBatch } from "../../server/src/journal/seal.ts";
import type { Circumstances, Machine } from "../../server/src/machine/machine.ts";
import type { Command } from "../../server/src/machine/entry.ts";
import { refusal } from "../../server/src/machine/refusal.ts";
import { ServiceKeeper } from "../../server/src/services/service-keeper.ts";
import { unknownOperation } from "../../server/src/operations/unknown-operation.ts";
import type { CallReply, Transport } from "@holdfast/sdk";
import { withdrawableOperations, withdrawal } from "@holdfast/sdk/contract";
import { attemptSeparator } from "./attempt-of.ts";
import { simulatedChecks } from "./simulated-checks.ts";
import { FaultyJournal } from "./faulty-journal.ts";
import { leaseReporter } from "./lease-reporter.ts";
import { GraceWatch } from "./grace-watch.ts";
import { changes } from "./lock-view.ts";
import { simulatedMachine, simulatedOperations, stateText } from "./simulated-machine.ts";
import { processClock } from "./virtual-time.ts";
import type { World } from "./world.ts";

/** The attempt that is being sent, if its entry can be identified only by the id. A check delays the sending. */
const sentAttempt = new AsyncLocalStorage<string | undefined>();

export interface NodeSetting {
  readonly world: World;
  readonly disk: MemoryDisk;
  /** A batch of this node became durable. */
  readonly written: (node: SimulatedNode, batch: SealedBatch) => void;
  /** The process is gone, and its open calls will not be answered. */
  readonly crashed: (owner: string) => void;
}

/** One process with an engine on the shared disk. It crashes, stops and starts again. Each life has its own owner. */
export class SimulatedNode {
  readonly name: string;
  readonly #setting: NodeSetting;
  #life = 0;
  #wallMs: number;
  #services: EngineServices | undefined;
  #keeper: ServiceKeeper | undefined;
  #journal: FaultyJournal | undefined;
  #grace: GraceWatch | undefined;
  #machine: Machine | undefined;
  state: "down" | "starting" | "up" | "stopping" = "down";
  /** The epoch that this life lost when it noticed a rollback of the journal, if it did. */
  lostEpoch: number | undefined;
  /** The hash of the last head whose state was compared. */
  #comparedHash = "";

  constructor(name: string, setting: NodeSetting) {
    this.name = name;
    this.#setting = setting;
    this.#wallMs = 1_800_000_000_000 + setting.world.random.between(-5_000, 5_000);
  }

  /** This life of the node. */
  get owner(): string {
    return `${this.name}.${this.#life}`;
  }

  get engine(): Engine | undefined {
    return this.#services?.engine;
  }

  start(): void {
    const { world } = this.#setting;
    this.#life += 1;
    this.state = "starting";
    this.lostEpoch = undefined;
    this.#comparedHash = "";
    const { owner } = this;
    world.log(() => `${owner} starts`);
    const lateMs = (): number => (world.occurs("timer is late") ? world.random.between(1, 900) : 0);
    world.wallMsMax = Math.max(world.wallMsMax, this.#wallMs);
    const ofProcess = { wallMs: () => this.#wallMs, startMs: world.random.between(0, 1_000_000), lateMs };
    this.#grace = new GraceWatch(world, owner);
    const journal = this.#openJournal(owner);
    this.#journal = journal;
    const clock = processClock(world.time, owner, ofProcess);
    const ids = this.#ids(owner);
    const started = Engine.start({
      journal: journal.port,
      createMachine: () => this.#createMachine(),
      clock,
      ids,
      afterLoss: (lost) => {
        this.lostEpoch = currentEpoch(lost);
        world.faults.count("node notices that the journal went back");
        world.log(() => `${owner} noticed that the journal went back`);
        const input = { above: this.lostEpoch, reason: "went back" };
        return { id: `${owner}-loss-${world.random.bits()}`, operation: "raise-epoch", input };
      },
      afterFork: (state, fork, time) => forkCommand(`${owner}-fork-${world.random.bits()}`, state, fork, time),
      // Small, so that most starts load a checkpoint and fold only the remaining entries.
      checkpointEvery: world.random.between(5, 60),
      erasures: { requestedAfter: erasuresAfter, erasedBy, erasedPosition },
      counterparts: new CounterpartScopes({ operation: withdrawal, of: withdrawableOperations }),
      recordHash: hashCommand,
      recordedHash,
      report: (message) => {
        world.log(() => `${owner} reports: ${message}`);
        world.demand(
          !/this node is stopping|a bug stopped/.test(message),
          "a node continues",
          () => `${owner}: ${message}`,
        );
      },
    });
    started.then(
      (engine) => {
        if (this.owner !== owner || this.state !== "starting") return;
        this.#services = engineServices(engine, { clock, ids, checks: simulatedChecks(engine, clock, world) });
        this.#keeper = this.#startServices(this.#services, owner);
        this.state = "up";
        world.log(() => `${owner} is up at position ${engine.head.position}`);
      },
      () => {
        if (this.owner === owner) this.#end();
      },
    );
  }

  crash(): void {
    if (this.state === "down") return;
    const { world } = this.#setting;
    world.log(() => `${this.owner} crashes`);
    this.#journal?.abandon();
    this.#end();
  }

  stop(): void {
    const { owner } = this;
    const engine = this.#services?.engine;
    if (this.state !== "up" || engine === undefined) return;
    this.state = "stopping";
    this.#setting.world.log(() => `${owner} is asked to stop`);
    const stopped = this.#keeper?.stop() ?? Promise.resolve();
    void stopped
      .then(() => engine.stop())
      .then(() => {
        if (this.owner === owner) this.#end();
      });
  }

  setWall(deltaMs: number): void {
    this.#wallMs += deltaMs;
  }

  /** Pauses the process. Its callers continue. */
  pauseProcess(durationMs: number): void {
    const { time } = this.#setting.world;
    time.holdStill(this.owner, time.nowMs + durationMs);
    // A node without leases does not read the clock, so it cannot notice the pause.
    if (this.#machine?.hasLeases === true) this.#grace?.disturb(time.nowMs + durationMs);
  }

  wake(): void {
    this.#journal?.wake();
  }

  transport(speaker: Speaker, mark?: string): Transport | undefined {
    const services = this.#services;
    if (services === undefined) return undefined;
    const { engine } = services;
    const context = {
      ...{ services, speaker, sharesData: false },
      ...{ requiresAgentSecret: false, operatorRotation: undefined },
    };
    return {
      // Bypasses the check of agents: most attempts are marked in their entry by an unregistered agent.
      call: (operation, input, call) => {
        const canonical = canonicalValue(input, inputLimits);
        if (!canonical.ok) {
          return Promise.resolve(unrecordedReply(engine, refusal("input_malformed", { ...canonical.fault })));
        }
        const record = simulatedOperations.get(operation) ?? unknownOperation(operation);
        const options = { ...call, inputBytes: canonical.bytes };
        const reply = new Promise<CallReply>((answer, fail) => {
          sentAttempt.run(mark, () => runCall(context, { record, input: canonical.value, options, answer, fail }));
        });
        return reply;
      },
      watch: ({ after }) => watch(services, defined({ after })),
      notices: () => {
        throw new Error("listeners call the node itself");
      },
      cursor: () => engine.read((state) => cursorAt(state, engine.head.position)),
      close: () => engine.stop(),
    };
  }

  /** The notices of an owner; undefined unless the node is up. */
  notices(owner: string): NoticeBox | undefined {
    return this.state === "up" ? this.#services?.notices.listen(owner) : undefined;
  }

  /** True if the folded entries of this node are still in the journal. */
  isInHistory(): boolean {
    const head = this.#services?.engine.head;
    if (head === undefined || head.position === 0) return true;
    return (this.#setting.disk as MemoryStore).batches.some(({ hash }) => hash === head.hash);
  }

  /** A node at the head of the journal has the state that the history leads to. */
  compareState(): void {
    const { world, disk } = this.#setting;
    const head = this.#services?.engine.head;
    if (head === undefined || head.hash === this.#comparedHash || this.#machine?.isUnsettled !== false) return;
    if (head.hash !== (disk as MemoryStore).head().hash) return;
    this.#comparedHash = head.hash;
    const dump = stateText(this.#machine);
    const expected = world.history.dump();
    world.demand(
      dump === expected,
      "replicas at one position are equal",
      () => `${this.owner}:\n${dump}\nnot\n${expected}`,
    );
  }

  #end(): void {
    this.#setting.world.time.forget(this.owner);
    this.state = "down";
    this.#services = undefined;
    this.#keeper = undefined;
    this.#machine = undefined;
    this.#setting.crashed(this.owner);
  }

  #startServices(services: EngineServices, owner: string): ServiceKeeper {
    const { world } = this.#setting;
    const report = (message: string): void => {
      world.log(() => `${owner} reports: ${message}`);
      if (message.includes("is started again")) world.faults.count("a failed service is started again");
    };
    const keeper = new ServiceKeeper([leaseReporter(world)], { services, report });
    void keeper.start();
    return keeper;
  }

  #openJournal(owner: string): FaultyJournal {
    const { world, disk } = this.#setting;
    const watcher = {
      owner,
      appending: (batch: SealedBatch) => {
        this.#grace?.check(batch);
        this.#checkFences(batch);
        this.#checkTime(batch);
      },
      written: (batch: SealedBatch) => this.#setting.written(this, batch),
      needed: (took: { ms: number; failed: boolean }) => this.#grace?.note(took),
      crash: () => this.crash(),
    };
    const write = (batch: SealedBatch) => appendBatch(disk as MemoryStore, batch);
    const isUsed = (scope: string): boolean => (disk as MemoryStore).index().findKey(scope) !== undefined;
    return new FaultyJournal(world, { inner: openMemoryJournal(disk), write, isUsed, watcher });
  }

  /** The wall clock counts only at the start of a process. Otherwise a changed wall clock would move every lease. */
  #checkTime({ head }: SealedBatch): void {
    const { world } = this.#setting;
    const latest = world.wallMsMax + world.time.nowMs;
    world.demand(
      head.time <= latest,
      "time does not follow a wall clock that is set",
      () => `${this.owner} decided at ${head.time}, and no clock can be further than ${latest}`,
    );
  }

  /** A client may still have a token of the lost history, so none may be granted again. */
  #checkFences(batch: SealedBatch): void {
    const { lostEpoch } = this;
    if (lostEpoch === undefined) return;
    for (const { events, position } of batch.entries) {
      for (const { type, data } of events) {
        if (type !== "lock.acquired" && !changes.has(type)) continue;
        const fence = data["fence"] as string;
        this.#setting.world.demand(
          Number(fence.split(".")[0]) > lostEpoch,
          "after a loss fences are of another epoch",
          () => `${this.owner} lost epoch ${lostEpoch} and gave out ${fence} at position ${position}`,
        );
      }
    }
  }

  #createMachine(): Machine {
    const { world } = this.#setting;
    const machine = simulatedMachine();
    const decide = machine.decide.bind(machine);
    machine.decide = (command: Command, circumstances: Circumstances) => {
      if (world.occurs("decision is slow")) world.time.nowMs += world.random.between(1, 20);
      return decide(command, circumstances);
    };
    this.#machine = machine;
    return machine;
  }

  #ids(owner: string): { unique(): string; salts(count: number): readonly string[] } {
    let count = 0;
    const { random } = this.#setting.world;
    return {
      unique: () => {
        const attempt = sentAttempt.getStore();
        return `${owner}-${(count += 1)}${attempt === undefined ? "" : attemptSeparator + attempt}`;
      },
      salts: (many) => Array.from({ length: many }, () => random.bits().toString(16).padStart(32, "0")),
    };
  }
}
