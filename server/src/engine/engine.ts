/**
 * The engine: commands go in, outcomes come out once they are durable; reads see what is durable; subscribers follow.
 * It knows the machine and the journal port, and nothing of doors.
 */
import type { Clock } from "../base/clock.ts";
import type { Ids } from "../base/ids.ts";
import {
  type PayloadErasure,
  type Head,
  type Journal,
  JournalError,
  type PageLimit,
  type SubjectQuery,
} from "../journal/journal.ts";
import { keyScope } from "../machine/entry.ts";
import type { Entry } from "../machine/entry.ts";
import type { TimerCommand } from "../machine/feature.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Machine } from "../machine/machine.ts";
import type { StateReader } from "../machine/state.ts";
import { ErasureExecutor } from "./erasure-executor.ts";
import type { ErasureLookup } from "./erasure-executor.ts";
import { lagOf, unreadyReasons } from "./health.ts";
import type { EngineHealth } from "./health.ts";
import { engineLimits } from "./limits.ts";
import { StateReload } from "./state-reload.ts";
import { Replica } from "./replica.ts";
import { commandOf, refusalReply } from "./reply.ts";
import type { Reply, EngineRequest } from "./reply.ts";
import { Signal } from "./signal.ts";
import { StateHasher } from "./state-hasher.ts";
import type { StateHasherOptions } from "./state-hasher.ts";
import { HistoryLostError, Subscription } from "./subscription.ts";
import { stoppingError } from "./writer-options.ts";
import { Writer } from "./writer.ts";

export interface EngineOptions {
  readonly journal: Journal;
  readonly createMachine: () => Machine;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The command that raises the epoch, made from the state that was lost. */
  readonly afterLoss: (lost: StateReader) => TimerCommand;
  /** The command that raises the epoch because this journal may have another future elsewhere. */
  readonly afterFork: (state: StateReader, reason: string, time: number) => TimerCommand;
  /** Entries between two checkpoints; the usual number, if not given. */
  readonly checkpointEvery?: number;
  readonly erasures: ErasureLookup;
  readonly recordHash: StateHasherOptions["recordHash"];
  readonly recordedHash: StateHasherOptions["recordedHash"];
  readonly report: (message: string, cause: unknown) => void;
  /** Told about every batch that this node appended, for figures. It must be quick and must not throw. */
  readonly onBatch?: (batch: { readonly entries: readonly Entry[]; readonly appendMs: number }) => void;
}

export class Engine {
  readonly #options: EngineOptions;
  readonly #keeper: StateHasher;
  readonly #replica: Replica;
  readonly #writer: Writer;
  readonly #erasures: ErasureExecutor;
  readonly #moved = new Signal();
  readonly #subscriptions = new Set<Subscription>();
  #stopListening: () => void = () => undefined;
  /** Why a new epoch is about to begin. */
  #fork: string | undefined;
  /** Set while the state is being folded again; reads wait for it. */
  #loading: StateReload | undefined;

  /** Folds the journal and starts. It fails if the journal holds what this build does not understand. */
  static async start(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options);
    const ignoreFolded = (): void => undefined;
    do await engine.#replica.restart();
    while ((await engine.#replica.follow(ignoreFolded)) === "diverged");
    await engine.#erasures.resume();
    await engine.#begin();
    return engine;
  }

  private constructor(options: EngineOptions) {
    this.#options = options;
    this.#keeper = new StateHasher({
      ...options,
      checkpointEvery: options.checkpointEvery ?? engineLimits.checkpointEvery,
      machine: () => this.#replica.machine,
      head: () => this.#replica.head,
      wake: () => {
        this.#writer.wake();
      },
      onDiffer: (error) => {
        this.#writer.fail(error);
      },
    });
    this.#replica = new Replica(options, this.#keeper);
    this.#writer = new Writer({
      ...options,
      replica: this.#replica,
      engineCommands: () => this.#keeper.due(),
      epochChange: () => this.#noticeFork(),
      on: {
        moved: () => {
          this.#moved.fire();
        },
        lost: () => {
          this.#lose();
        },
        loaded: () => {
          this.#loading?.finish();
          this.#loading = undefined;
        },
        broken: (cause) => {
          this.#loading?.fail(stoppingError(cause));
        },
        report: options.report,
      },
    });
    this.#erasures = new ErasureExecutor({
      ...options,
      scan: (look) => this.scan(look),
      checkpoint: () => this.checkpoint(),
    });
  }

  async #begin(): Promise<void> {
    const { journal } = this.#options;
    this.#stopListening = journal.onWake(() => {
      this.#writer.followSoon();
    });
    this.#writer.begin();
    await this.#settleFork();
  }

  /** The start waits for a new epoch, but not for ever: if the journal can't be written now, it is sent until it can. */
  #settleFork(): Promise<void> {
    const fork = this.#noticeFork();
    if (fork === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const stopWaiting = this.#options.clock.after(engineLimits.forkPatienceMs, resolve, { keepAlive: true });
      this.#writer.sendFirst(fork.command(), () => {
        stopWaiting();
        void fork.done().finally(resolve);
      });
    });
  }

  /** Tokens of this journal's past may be in use for another future: a new epoch begins, before anything else. */
  #noticeFork(): { readonly command: () => TimerCommand; readonly done: () => Promise<void> } | undefined {
    const { journal, afterFork, report } = this.#options;
    const reason = journal.forkReason;
    if (reason === undefined || reason === this.#fork) return undefined;
    this.#fork = reason;
    report(`a new epoch begins: ${reason}`, undefined);
    const replica = this.#replica;
    return {
      command: () => afterFork(replica.machine.durable, reason, replica.time.now()),
      done: async () => {
        // Another one since: the epoch of this one says nothing about that one.
        if (this.#fork !== reason) return;
        try {
          await journal.settleFork();
        } catch (error) {
          report("the new epoch could not be noted in the journal; the next start begins another one", error);
        }
        this.#fork = undefined;
      },
    };
  }

  /** Decides a command. The answer leaves when it, and all that it was decided on, is durable. */
  execute(request: EngineRequest): Promise<Reply> {
    const refused = this.#writer.admissionRefusal();
    if (refused !== undefined) {
      const { code, reason, retryAfterMs } = refused;
      const data: JsonObject = retryAfterMs === undefined ? { reason } : { reason, retry_after_ms: retryAfterMs };
      return Promise.resolve(refusalReply(code, data, this.head.position));
    }
    const command = commandOf(request, this.#options.ids.unique());
    return new Promise((reply) => {
      this.#writer.submit({
        command,
        scope: keyScope(command),
        caller: request.caller,
        bytes: request.bytes,
        deadlineMs: this.#options.clock.monotonicMs() + (request.deadlineMs ?? engineLimits.deadlineMs),
        mustExpect: request.mustExpect === true,
        reply,
        isTimer: false,
        isAttempted: false,
      });
    });
  }

  /** The time that a command would be decided at now. */
  now(): number {
    return this.#replica.time.now();
  }

  /** The rows as they are durable now, to be looked at by key and at once; undefined while they are folded again. */
  get durable(): StateReader | undefined {
    return this.#loading === undefined ? this.#replica.machine.durable : undefined;
  }

  /** Looks at rows by key without waiting; undefined while the state is being folded again. */
  peek<Result>(look: (state: StateReader) => Result): Result | undefined {
    const state = this.durable;
    return state === undefined ? undefined : look(state);
  }

  /** Looks at rows by key, as they are durable now. */
  async read<Result>(look: (state: StateReader) => Result): Promise<Result> {
    await this.#loading?.done;
    return look(this.#replica.machine.durable);
  }

  /** Looks at rows in order. It waits until no batch is in flight, since old values have no order to be found in. */
  async scan<Result>(look: (state: StateReader) => Result): Promise<Result> {
    await this.#loading?.done;
    while (this.#replica.machine.isUnsettled) await this.#writer.settled();
    return look(this.#replica.machine.durable);
  }

  /**
   * Resolves when everything is folded here that was acknowledged anywhere before the call, so that what is read then is
   * the latest. It costs one look at the head of a shared journal, which all who ask together share; it fails with a
   * JournalError if the journal can't be reached.
   */
  async catchUp(): Promise<void> {
    if (!this.isShared) return;
    await this.#inTime(this.#writer.catchUp());
    await this.#loading?.done;
  }

  /** Whether others may append to the journal, so that reads must ask for its head to be the latest. */
  get isShared(): boolean {
    return this.#options.journal.coordination !== undefined;
  }

  /** A server that hangs must not keep readers waiting for as long as a connection does. */
  #inTime(looking: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#options.clock.after(
        engineLimits.latestMs,
        () => {
          reject(new JournalError("busy", "the journal does not answer", { certain: true }));
        },
        { keepAlive: true },
      );
      looking.finally(cancel).then(resolve, reject);
    });
  }

  get head(): Head {
    return this.#replica.head;
  }

  /** Entries about a subject, none beyond the head that reads see. */
  async entriesAbout(query: SubjectQuery): Promise<readonly Entry[]> {
    await this.#loading?.done;
    const before = Math.min(query.before ?? Infinity, this.head.position + 1);
    return this.entriesAt(await this.#options.journal.findSubject({ ...query, before }));
  }

  /** The same without waiting, if all of the answer is in memory. */
  recentEntriesAbout(query: SubjectQuery): readonly Entry[] | undefined {
    if (this.#loading !== undefined) return undefined;
    const before = Math.min(query.before ?? Infinity, this.head.position + 1);
    const positions = this.#options.journal.findSubjectInMemory?.({ ...query, before });
    return positions === undefined ? undefined : this.#recentAt(positions);
  }

  /** An entry that is still in memory. */
  recentEntry(position: number): Entry | undefined {
    return this.#replica.recent.at(position);
  }

  async entriesAt(positions: readonly number[]): Promise<readonly Entry[]> {
    return this.#recentAt(positions) ?? this.#replica.readAt(positions);
  }

  #recentAt(positions: readonly number[]): readonly Entry[] | undefined {
    const entries: Entry[] = [];
    for (const position of positions) {
      const entry = this.#replica.recent.at(position);
      if (entry === undefined) return undefined;
      entries.push(entry);
    }
    return entries;
  }

  /** Entries after a position, oldest first, none beyond the head that reads see. */
  async entriesAfter(after: number, limit: PageLimit): Promise<readonly Entry[]> {
    await this.#loading?.done;
    const { position } = this.head;
    if (after >= position) return [];
    const recent = this.#replica.recent.after(after, limit.entries);
    if (recent !== undefined) return recent;
    return (await this.#replica.read(after, limit)).filter((entry) => entry.position <= position);
  }

  /** Everything after a position, and then everything that comes. */
  subscribe(after: number): Subscription {
    const subscription = new Subscription({ replica: this.#replica, moved: this.#moved }, after, () =>
      this.#subscriptions.delete(subscription),
    );
    this.#subscriptions.add(subscription);
    return subscription;
  }

  /** Removes from the journal what an entry says is erased, before anybody is told so. It fails with a JournalError. */
  executeErasure(erasure: PayloadErasure): Promise<void> {
    return this.#erasures.execute(erasure);
  }

  /** Saves the state now, so that the next start folds nothing. Returns the position that is saved. */
  async checkpoint(): Promise<number> {
    // What is in flight is not durable: it must not be in a checkpoint.
    while (this.#replica.machine.isUnsettled) await this.#writer.settled();
    return this.#keeper.save();
  }

  health(): EngineHealth {
    const { outage } = this.#writer;
    const unwritable = outage === undefined ? undefined : `the journal cannot be written (${outage.reason})`;
    const refused = unwritable ?? this.#writer.admissionRefusal()?.reason;
    const sinceMs = outage?.sinceMs;
    const heard = this.#options.journal.coordination?.clusterStatus();
    const nowMs = this.#options.clock.monotonicMs();
    const lag = lagOf(this.head, heard, nowMs);
    return {
      head: this.head,
      isWritable: refused === undefined,
      reasons: unreadyReasons({ refused, isLoading: this.#loading !== undefined, lag, heard }),
      pendingCount: this.#writer.pendingCount,
      outageMs: sinceMs === undefined ? 0 : nowMs - sinceMs,
      saved: this.#keeper.saved,
      subscriberCount: this.#subscriptions.size,
      nodeCount: heard?.nodeCount ?? 1,
      lag,
    };
  }

  /** Answers what waits, ends subscriptions and closes the journal. Nothing acknowledged is lost. */
  async stop(): Promise<void> {
    this.#stopListening();
    await this.#writer.stop(() => this.#keeper.finish());
    await this.#keeper.stop();
    this.#loading?.fail(stoppingError(undefined));
    for (const subscription of this.#subscriptions) subscription.end(undefined);
    await this.#options.journal.close();
  }

  #lose(): void {
    this.#loading ??= new StateReload();
    const error = new HistoryLostError("the journal went back behind what was read; read the state again");
    for (const subscription of this.#subscriptions) subscription.end(error);
  }
}
