import { type FaultName, Faults } from "./faults.ts";
import type { History } from "./history.ts";
import { LockWatch } from "./lock-watch.ts";
import { Random } from "./random.ts";
import { TurnLine } from "./turn-line.ts";
import { VirtualTime } from "./virtual-time.ts";

/** A promise that was not kept. */
export class BrokenPromise extends Error {
  override readonly name = "BrokenPromise";
  readonly promise: string;

  constructor(promise: string, detail: string) {
    super(detail);
    this.promise = promise;
  }
}

/** What all parts of one simulation share. */
export class World {
  readonly random: Random;
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly history: History;
  readonly locks = new LockWatch();
  readonly turns: TurnLine;
  readonly trace: string[] = [];
  readonly counts = new Map<string, number>();
  broken: BrokenPromise | undefined;
  /** Why the journal is another one than before, until a new epoch has begun; kept on the disk. */
  forkReason: string | undefined;
  /** The latest wall clock by which a process has started: nobody's time may ever be ahead of it. */
  wallMsMax = 0;
  /** How often the journal went back. */
  losses = 0;
  readonly #isTraced: boolean;

  constructor(seed: number, options: { readonly history: History; readonly isTraced: boolean }) {
    this.random = new Random(seed);
    this.time = new VirtualTime(this.random);
    this.turns = new TurnLine(this.time);
    this.faults = new Faults(this.random, this.counts);
    this.history = options.history;
    this.#isTraced = options.isTraced;
  }

  strikes(fault: FaultName): boolean {
    return this.faults.strikes(fault);
  }

  /** Tells what happens, if somebody listens; making the sentence costs more than most steps. */
  log(sentence: () => string): void {
    if (this.#isTraced) this.trace.push(`${String(this.time.nowMs).padStart(7)} ms  ${sentence()}`);
  }

  /** Notes the first broken promise. It is raised after the step, since a step runs code that catches errors. */
  demand(isKept: boolean, promise: string, detail: () => string): void {
    if (!isKept) this.fail(promise, detail());
  }

  fail(promise: string, detail: string): void {
    if (this.broken !== undefined) return;
    this.broken = new BrokenPromise(promise, detail);
    this.log(() => `BROKEN  ${promise}: ${detail}`);
  }
}
