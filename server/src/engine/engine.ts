/**
 * The engine executes commands and returns their outcomes once they are durable. Reads and subscribers see durable state
 * only. The engine depends on the machine and the journal port, and on no door.
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
import type { JournalFork, TimerCommand } from "../machine/feature.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Machine } from "../machine/machine.ts";
import type { StateReader } from "../machine/state.ts";
import { ErasureExecutor } from "./erasure-executor.ts";
import type { ErasureLookup } from "./erasure-executor.ts";
import type { PayloadCopies } from "./payload-copies.ts";
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
import type { CounterpartScopes } from "./counterpart-scope.ts";
import { Writer } from "./writer.ts";

export interface EngineOptions {
  readonly journal: Journal;
  readonly createMachine: () => Machine;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Makes the command that raises the epoch after a loss, from the lost state. */
  readonly afterLoss: (lost: StateReader) => TimerCommand;
  /** Makes the command that raises the epoch because this journal may have another future elsewhere. */
  readonly afterFork: (state: StateReader, fork: JournalFork, time: number) => TimerCommand;
  /** Entries between two checkpoints. The default is `engineLimits.checkpointEvery`. */
  readonly checkpointEvery?: number | undefined;
  readonly erasures: ErasureLookup;
  readonly counterparts: CounterpartScopes;
  readonly recordHash: StateHasherOptions["recordHash"];
  readonly recordedHash: StateHasherOptions["recordedHash"];
  readonly report: (message: string, cause: unknown) => void;
  /** Called for every batch that this node appended, for metrics. It must be fast and must not throw. */
  readonly onBatch?: ((batch: { readonly entries: readonly Entry[]; readonly appendMs: number }) => void) | undefined;
}

export class Engine {
  readonly #options: EngineOptions;
  readonly #hasher: StateHasher;
  readonly #replica: Replica;
  readonly #writer: Writer;
  readonly #erasures: ErasureExecutor;
  readonly #moved = new Signal();
  readonly #subscriptions = new Set<Subscription>();
  #stopListening: () => void = () => undefined;
  /** The reason of the fork for which a new epoch is starting. */
  #fork: string | undefined;
  /** Set while the state is reloaded. Reads wait for it. */
  #loading: StateReload | undefined;

  /** Folds the journal and starts. It throws if the journal holds an entry that this build does not understand. */
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
    this.#hasher = new StateHasher({
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
    this.#replica = new Replica(options, this.#hasher);
    this.#writer = new Writer({
      ...options,
      replica: this.#replica,
      engineCommands: () => this.#hasher.due(),
      epochChange: () => this.#epochChange(),
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
      scan: (query) => this.scan(query),
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

  /** Starts a new epoch if the journal forked. The wait is limited. If appends fail, the writer retries the command. */
  #settleFork(): Promise<void> {
    const change = this.#epochChange();
    if (change === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const stopWaiting = this.#options.clock.after(engineLimits.forkWaitMsMax, resolve, { keepAlive: true });
      this.#writer.sendFirst(change.command(), () => {
        stopWaiting();
        void change.done().finally(resolve);
      });
    });
  }

  /** The epoch change for a new fork. Tokens of the past may be in use in another future, so the epoch must change first. */
  #epochChange(): { readonly command: () => TimerCommand; readonly done: () => Promise<void> } | undefined {
    const { journal, afterFork, report } = this.#options;
    const reason = journal.forkReason;
    if (reason === undefined || reason === this.#fork) return undefined;
    this.#fork = reason;
    const isImported = journal.isForkImported === true;
    report(`a new epoch starts${isImported ? ", and all tokens are revoked" : ""}: ${reason}`, undefined);
    const replica = this.#replica;
    return {
      command: () => afterFork(replica.machine.durable, { reason, isImported }, replica.time.now()),
      done: async () => {
        // There is a newer fork. The epoch of this one does not cover it.
        if (this.#fork !== reason) return;
        try {
          await journal.settleFork();
        } catch (error) {
          report(
            "the end of the fork could not be stored in the journal; the next start raises the epoch again",
            error,
          );
        }
        this.#fork = undefined;
      },
    };
  }

  /** Executes a command. The promise resolves when the entry, and all entries before it, are durable. */
  execute(request: EngineRequest): Promise<Reply> {
    return new Promise((reply) => {
      this.submit(request, reply);
    });
  }

  /** The same with a callback. It runs in the turn in which the batch of the entry is durable. */
  submit(request: EngineRequest, reply: (reply: Reply) => void): void {
    const refused = this.#writer.admissionRefusal();
    if (refused !== undefined) {
      const { code, reason, retryAfterMs } = refused;
      const data: JsonObject = retryAfterMs === undefined ? { reason } : { reason, retry_after_ms: retryAfterMs };
      reply(refusalReply(code, data, this.head.position));
      return;
    }
    const command = commandOf(this.#options.counterparts.withOwnKey(request), this.#options.ids.unique());
    this.#writer.submit({
      command,
      scope: keyScope(command),
      counterpart: this.#options.counterparts.scopeOf(command),
      isWithdrawal: this.#options.counterparts.isWithdrawal(command),
      caller: request.caller,
      bytes: request.bytes,
      deadlineMs: this.#options.clock.monotonicMs() + (request.deadlineMs ?? engineLimits.deadlineMs),
      mustExpect: request.mustExpect === true,
      reply,
      isTimer: false,
      isAttempted: false,
      isHeadRead: false,
    });
  }

  /** The current time of the engine, at which a command would be decided. */
  now(): number {
    return this.#replica.time.now();
  }

  /** True during the grace after a start or a stall, in which overdue leases do not expire. */
  get isInGrace(): boolean {
    return !this.#writer.grace.isOver();
  }

  /** The durable rows, to be read synchronously and by key. Undefined during a reload of the state. */
  get durable(): StateReader | undefined {
    return this.#loading === undefined ? this.#replica.machine.durable : undefined;
  }

  /** Reads durable rows by key, without waiting. Returns undefined during a reload of the state. */
  peek<Result>(query: (state: StateReader) => Result): Result | undefined {
    const state = this.durable;
    return state === undefined ? undefined : query(state);
  }

  /** Reads durable rows by key. */
  async read<Result>(query: (state: StateReader) => Result): Promise<Result> {
    await this.#loading?.done;
    return query(this.#replica.machine.durable);
  }

  /** Reads durable rows in order. It waits until no batch is in flight, because undo values are not sorted. */
  async scan<Result>(query: (state: StateReader) => Result): Promise<Result> {
    await this.#loading?.done;
    while (this.#replica.machine.isUnsettled) await this.#writer.settled();
    return query(this.#replica.machine.durable);
  }

  /**
   * Resolves when this node has folded every entry that any node acknowledged before the call. A following read is then
   * linearizable. Concurrent calls share one read of the shared journal's head. It throws a JournalError if the journal is
   * unreachable.
   */
  async catchUp(): Promise<void> {
    if (!this.isShared) return;
    await this.#withTimeout(this.#writer.catchUp());
    await this.#loading?.done;
  }

  /** True if other nodes may append to the journal. A linearizable read must then call `catchUp` first. */
  get isShared(): boolean {
    return this.#options.journal.coordination !== undefined;
  }

  /** Limits the wait of readers. A connection to a hanging server times out much later. */
  #withTimeout(refreshing: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#options.clock.after(
        engineLimits.refreshMsMax,
        () => {
          reject(new JournalError("busy", "the journal does not answer", { certain: true }));
        },
        { keepAlive: true },
      );
      refreshing.finally(cancel).then(resolve, reject);
    });
  }

  get head(): Head {
    return this.#replica.head;
  }

  /** Entries about a subject, up to the folded head. */
  async entriesAbout(query: SubjectQuery): Promise<readonly Entry[]> {
    await this.#loading?.done;
    const before = Math.min(query.before ?? Infinity, this.head.position + 1);
    return this.entriesAt(await this.#options.journal.findSubject({ ...query, before }));
  }

  /** The position of the entry that used a key, if this node knows one. Only the decision knows for certain. */
  async priorOf(scope: string): Promise<number | undefined> {
    const { journal } = this.#options;
    const known = journal.coordination?.findKeysInMemory([scope], this.head) ?? (await journal.findKeys([scope]));
    return known[0];
  }

  /** Answers `entriesAbout` synchronously, if the whole answer is in memory. */
  recentEntriesAbout(query: SubjectQuery): readonly Entry[] | undefined {
    if (this.#loading !== undefined) return undefined;
    const next = this.head.position + 1;
    const isBounded = query.before !== undefined && query.before <= next;
    const positions = this.#options.journal.findSubjectInMemory?.(isBounded ? query : { ...query, before: next });
    return positions === undefined ? undefined : this.#recentAt(positions);
  }

  /** The entry at a position, if it is in memory. */
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

  /** Entries after a position, oldest first, up to the folded head. */
  async entriesAfter(after: number, limit: PageLimit): Promise<readonly Entry[]> {
    await this.#loading?.done;
    const { position } = this.head;
    if (after >= position) return [];
    const recent = this.#replica.recent.after(after, limit.entries);
    if (recent !== undefined) return recent;
    return (await this.#replica.read(after, limit)).filter((entry) => entry.position <= position);
  }

  /** Subscribes to all entries after a position, including future ones. */
  subscribe(after: number): Subscription {
    const subscription = new Subscription({ replica: this.#replica, moved: this.#moved }, after, () =>
      this.#subscriptions.delete(subscription),
    );
    this.#subscriptions.add(subscription);
    return subscription;
  }

  /** Adds copies of payloads outside the journal, before the first copy is made. Returns how to end the access to them. */
  addCopies(copies: PayloadCopies): Promise<() => void> {
    return this.#erasures.addCopies(copies);
  }

  /** Completes unfinished erasures, and removes the copies of those that `copied` returns. */
  resumeErasures(copied: () => readonly PayloadErasure[]): Promise<void> {
    return this.#erasures.resume(copied);
  }

  /**
   * Removes an erased payload from the journal and its copies. The caller replies afterwards. It throws a JournalError or
   * a CopiesRemainError if it fails.
   */
  executeErasure(erasure: PayloadErasure): Promise<void> {
    return this.#erasures.execute(erasure);
  }

  /** Saves a checkpoint, so that the next start folds nothing. Returns the position of the newest checkpoint. */
  async checkpoint(): Promise<number> {
    // A batch in flight is not durable and must not be in a checkpoint.
    while (this.#replica.machine.isUnsettled) await this.#writer.settled();
    return this.#hasher.save();
  }

  health(): EngineHealth {
    const { outage } = this.#writer;
    const unwritable = outage === undefined ? undefined : `the journal cannot be written (${outage.reason})`;
    const refused = unwritable ?? this.#writer.admissionRefusal()?.reason;
    const sinceMs = outage?.sinceMs;
    const status = this.#options.journal.coordination?.clusterStatus();
    const nowMs = this.#options.clock.monotonicMs();
    const lag = lagOf(this.head, status, nowMs);
    return {
      head: this.head,
      isWritable: refused === undefined,
      reasons: unreadyReasons({ refused, isLoading: this.#loading !== undefined, lag, status }),
      pendingCount: this.#writer.pendingCount,
      outageMs: sinceMs === undefined ? 0 : nowMs - sinceMs,
      saved: this.#hasher.saved,
      subscriberCount: this.#subscriptions.size,
      nodeCount: status?.nodeCount ?? 1,
      lag,
    };
  }

  /** Answers pending commands, ends subscriptions and closes the journal. No acknowledged entry is lost. */
  async stop(): Promise<void> {
    this.#stopListening();
    await this.#writer.stop(() => this.#hasher.finish());
    await this.#hasher.stop();
    this.#loading?.fail(stoppingError(undefined));
    for (const subscription of this.#subscriptions) subscription.end(undefined);
    await this.#options.journal.close();
  }

  #lose(): void {
    this.#loading ??= new StateReload();
    const error = new HistoryLostError("The journal was rolled back. Read the state again.");
    for (const subscription of this.#subscriptions) subscription.end(error);
  }
}
