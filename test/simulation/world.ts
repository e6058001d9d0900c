import { type FaultName, Faults } from "./faults.ts";
import type { History } from "./history.ts";
import { FileWatch } from "../files/file-watch.ts";
import { IntentWatch } from "../intents/intent-watch.ts";
import { JobWatch } from "../jobs/job-watch.ts";
import { LockWatch } from "./lock-watch.ts";
import { Random } from "./random.ts";
import { TurnQueue } from "./turn-queue.ts";
import { VirtualTime } from "./virtual-time.ts";
import { RuleWatch } from "../workspace/rule-watch.ts";

/** Interval between two seeds with intents, between two with jobs, and between two with files. */
const seedsPerPack = 6;

/** A broken promise. */
export class BrokenPromise extends Error {
  override readonly name = "BrokenPromise";
  readonly promise: string;

  constructor(promise: string, detail: string) {
    super(detail);
    this.promise = promise;
  }
}

/** The state that all parts of one simulation share. */
export class World {
  readonly random: Random;
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly history: History;
  readonly locks = new LockWatch();
  readonly intents = new IntentWatch();
  readonly jobs = new JobWatch();
  readonly files = new FileWatch();
  readonly workspace = new RuleWatch();
  /** True if this seed has published files, or a workspace. The other seeds follow the same course as without them. */
  readonly hasFiles: boolean;
  readonly hasWorkspace: boolean;
  /** True if this seed has intents and runners. The other seeds follow the same course as without them. */
  readonly hasIntents: boolean;
  /** True if this seed has jobs and workers. The other seeds follow the same course as without them. */
  readonly hasJobs: boolean;
  /** True if this seed has a listener of notices. The other seeds follow the same course as without one. */
  readonly hasNotices: boolean;
  readonly turns: TurnQueue;
  readonly trace: string[] = [];
  readonly counts = new Map<string, number>();
  broken: BrokenPromise | undefined;
  /** The reason of a fork of the journal, until a new epoch has begun. It is stored on the disk. */
  forkReason: string | undefined;
  /** The latest wall clock at the start of any process. The time of no process may ever be ahead of it. */
  wallMsMax = 0;
  /** Number of rollbacks of the journal. */
  losses = 0;
  /** True in every fourth seed: checks of programs take most of the time of a seed. */
  readonly hasPrograms: boolean;
  readonly #isTraced: boolean;

  constructor(seed: number, options: { readonly history: History; readonly isTraced: boolean }) {
    this.random = new Random(seed);
    this.hasPrograms = seed % 4 === 3;
    this.hasIntents = seed % seedsPerPack === 0;
    this.hasJobs = seed % seedsPerPack === 2;
    this.hasFiles = seed % (2 * seedsPerPack) === 4;
    this.hasWorkspace = seed % (2 * seedsPerPack) === 10;
    this.hasNotices = seed % 8 === 1;
    this.time = new VirtualTime(this.random);
    this.turns = new TurnQueue(this.time);
    this.faults = new Faults(this.random, this.counts);
    this.history = options.history;
    this.#isTraced = options.isTraced;
  }

  occurs(fault: FaultName): boolean {
    return this.faults.occurs(fault);
  }

  /** Adds a line to the trace, if the simulation is traced. Building the sentence costs more than most steps. */
  log(sentence: () => string): void {
    if (this.#isTraced) this.trace.push(`${String(this.time.nowMs).padStart(7)} ms  ${sentence()}`);
  }

  /** Records the first broken promise. It is raised after the step, since a step runs code that catches errors. */
  demand(isKept: boolean, promise: string, detail: () => string): void {
    if (!isKept) this.fail(promise, detail());
  }

  fail(promise: string, detail: string): void {
    if (this.broken !== undefined) return;
    this.broken = new BrokenPromise(promise, detail);
    this.log(() => `BROKEN  ${promise}: ${detail}`);
  }
}
