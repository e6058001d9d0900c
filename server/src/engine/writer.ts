/**
 * The loop around the machine: take commands from the queue, decide them, make them durable with one append, then reply.
 *
 * - **One batch at a time.** Nothing of a batch is visible, and no reply is sent, before its append is complete.
 * - **Certain failure.** If nothing was written for certain, the batch is undone and its callers get a refusal.
 * - **Unknown result.** The batch is undone and its commands stay in the queue. Before the next decision the writer reads the
 *   journal. A command whose id is found there is answered from its entry. The others are decided again, starting with the
 *   lookup of their keys. So no command runs twice.
 * - **Outage.** While appends fail, new commands are refused immediately with a retry delay. The writer retries with
 *   backoff. Reads are not affected.
 * - **Lost history.** If the journal does not hold the folded history, the state is reloaded and the epoch is raised.
 */
import { JournalError } from "../journal/journal.ts";
import { seal } from "../journal/seal.ts";
import type { TimerCommand } from "../machine/feature.ts";
import { ReplySender } from "./reply-sender.ts";
import { decideBatch, mustReadHead } from "./decide-batch.ts";
import type { DecidedBatch } from "./decide-batch.ts";
import { CommandQueue } from "./command-queue.ts";
import type { PendingCommand } from "./command-queue.ts";
import { findKeyedEntries, isAheadOf } from "./find-keyed-entries.ts";
import { Follower } from "./follower.ts";
import { GracePeriod } from "./grace-period.ts";
import { HeadWatch } from "./head-watch.ts";
import { engineLimits } from "./limits.ts";
import type { Reply } from "./reply.ts";
import { Signal } from "./signal.ts";
import { TimerWatch } from "./timer-watch.ts";
import { TurnPolicy } from "./turn-policy.ts";
import { AppendBackoff } from "./append-backoff.ts";
import type { JournalOutage } from "./append-backoff.ts";
import { overloadRefusal, stoppingError } from "./writer-options.ts";
import type { AdmissionRefusal, WriterOptions } from "./writer-options.ts";

export class Writer {
  readonly #options: WriterOptions;
  readonly #queue = new CommandQueue();
  readonly #follower: Follower;
  readonly grace: GracePeriod;
  readonly #timers: TimerWatch;
  readonly #backoff: AppendBackoff;
  readonly #replies: ReplySender;
  readonly #settled = new Signal();
  readonly #turns: TurnPolicy;
  readonly #head = new HeadWatch(() => this.#followJournal());
  #run: Promise<void> | undefined;
  #isScheduled = false;
  /** True after an append found a key that the index in memory did not hold. The next lookup queries the journal. */
  #mustQueryKeys = false;
  /** Number of commands to decide one by one, because one of them makes every append fail. */
  #singleCount = 0;
  #broken: Error | undefined;
  /** No command is decided before the fold is complete. Only one task may advance the replica; two would fold entries twice. */
  #phase: "starting" | "running" | "stopping" | "stopped" = "starting";

  constructor(options: WriterOptions) {
    const { clock } = options;
    const wake = (): void => {
      this.wake();
    };
    this.#options = options;
    const { coordination } = options.journal;
    this.#turns = new TurnPolicy(coordination, clock);
    const moved = (): void => {
      this.#turns.notePeerEntries();
      options.on.moved();
    };
    this.#follower = new Follower({ ...options, queue: this.#queue, on: { ...options.on, moved } });
    this.grace = new GracePeriod(clock);
    this.#timers = new TimerWatch({ clock, grace: this.grace, wake, rank: () => coordination?.rank() ?? 0 });
    this.#backoff = new AppendBackoff(clock, wake);
    const position = (): number => options.replica.head.position;
    this.#replies = new ReplySender({ backoff: this.#backoff, position, report: options.on.report });
  }

  get outage(): JournalOutage | undefined {
    return this.#backoff.outage;
  }

  get pendingCount(): number {
    return this.#queue.size;
  }

  admissionRefusal(): AdmissionRefusal | undefined {
    if (this.#phase !== "running")
      return { code: "stopping", reason: "this node is stopping", retryAfterMs: undefined };
    if (this.#broken !== undefined) return { code: "stopping", reason: this.#broken.message, retryAfterMs: undefined };
    return overloadRefusal(this.#backoff, this.#queue);
  }

  submit(pending: PendingCommand): void {
    this.#queue.push(pending);
    this.wake();
  }

  /**
   * Puts a command at the front of the queue and retries it until it succeeds. Until the new epoch starts, tokens from the
   * lost history would still be accepted.
   */
  sendFirst(command: TimerCommand, onDone: () => void): void {
    const reply = ({ outcome }: Reply): void => {
      if (outcome.kind === "done") onDone();
      // Any other refusal would repeat forever. A stopping node still decides its queue, and must not do so in the old epoch.
      else if (["journal_unavailable", "outcome_unknown"].includes(outcome.code) && this.#phase !== "stopped")
        this.sendFirst(command, onDone);
    };
    this.#queue.requeue([{ ...this.#timers.pendingOf(command, { isTimer: false }), reply }]);
    this.wake();
  }

  /** Stops this node after a permanent failure. */
  readonly fail = (error: unknown): void => this.#break(error);

  /** Starts to decide commands. The fold may have taken long, and no holder could renew in the meantime. */
  begin(): void {
    this.#phase = "running";
    this.grace.restart();
    this.wake();
  }

  /** Resolves when all entries that were durable before the call are folded. Only a shared journal needs it. */
  async catchUp(): Promise<void> {
    const refusal = this.admissionRefusal();
    if (refusal !== undefined && refusal.code !== "overloaded") {
      const code = refusal.code === "stopping" ? "closed" : "io";
      throw new JournalError(code, `the head of the journal cannot be read: ${refusal.reason}`, { certain: true });
    }
    const refreshed = this.#head.waitForRefresh();
    this.wake();
    await refreshed;
  }

  /** Schedules a refresh, because another node may have appended. */
  followSoon(): void {
    this.#head.hint();
    this.wake();
  }

  /** Runs the loop in the next tick, so that commands which arrive together are in one batch. */
  wake(): void {
    if (this.#isScheduled || this.#run !== undefined) return;
    this.#isScheduled = true;
    this.grace.soon(() => {
      this.#isScheduled = false;
      this.#start();
    });
  }

  /** Resolves when the batch in flight is durable or undone. */
  settled(): Promise<void> {
    return this.#settled.next();
  }

  /** Decides and answers the queued commands, waits for `finish`, and stops. */
  async stop(finish: () => Promise<void>): Promise<void> {
    if (this.#phase !== "stopped") this.#phase = "stopping";
    // The first round finishes the running batch. The second one takes the rest. During an outage no more is attempted.
    await this.#runOnce();
    await this.#runOnce();
    await finish();
    // `finish` may add commands, such as the hash of the state.
    await this.#runOnce();
    this.#phase = "stopped";
    this.#timers.stop();
    this.#backoff.cancel();
    for (const pending of this.#queue.takeLate(Infinity)) this.#replies.refuseUndecided(pending);
    this.#head.beginRefresh().failed(stoppingError(undefined));
  }

  async #runOnce(): Promise<void> {
    this.#start();
    await this.#run;
  }

  #start(): void {
    if (
      this.#run !== undefined ||
      this.#phase === "starting" ||
      this.#phase === "stopped" ||
      this.#broken !== undefined
    )
      return;
    this.#timers.noteLateness();
    this.#run = this.#work()
      .finally(() => this.#turns.release())
      .catch((error: unknown) => {
        this.#break(error);
      })
      .finally(() => {
        this.#run = undefined;
        this.#rest();
      });
  }

  /** Schedules the next run: when a timer is due, or when the next attempt is allowed. */
  #rest(): void {
    if (this.#phase === "stopped" || this.#broken !== undefined) return;
    this.#timers.watch(this.#options.replica);
    if (this.#queue.size === 0 && !this.#head.isRefreshDue) return;
    if (this.#backoff.outage === undefined) this.wake();
    else this.#backoff.retryLater({ keepAlive: this.#queue.size > 0 });
  }

  async #work(): Promise<void> {
    const { clock } = this.#options;
    for (;;) {
      if (this.#turns.isExpired) await this.#turns.release();
      if (this.#mustFollow && !(await this.#follow())) return;
      const commandsMax = this.#singleCount > 0 ? 1 : engineLimits.batchCommandsMax;
      this.#singleCount = Math.max(0, this.#singleCount - 1);
      const { batch, late } = this.#queue.take(clock.monotonicMs(), commandsMax);
      for (const pending of late) this.#replies.refuseLate(pending);
      const due = this.#takeOwn(commandsMax - batch.length);
      if (batch.length + due.length === 0) return;
      if (!(await this.#decideAndAppend(due.length === 0 ? batch : [...batch, ...due]))) return;
      // Replies cause new commands immediately. Without a yield to the event loop, a busy queue would starve timers,
      // signals and sockets. Batches would stay small, and a turn at the head would end after one batch.
      if (this.#queue.size > 0 || this.#turns.isHeld) await this.grace.nextTurn();
    }
  }

  /** The commands of timers and of the engine. None joins a command that is tried alone, and may be the failing one. */
  #takeOwn(room: number): readonly PendingCommand[] {
    const { replica, engineCommands } = this.#options;
    const due = this.#timers.takeDue(replica, room);
    const own = room > 0 ? engineCommands() : [];
    return own.length === 0 ? due : [...due, ...own.map((command) => this.#timers.pendingOfEngine(command))];
  }

  /** An append reads the head too. Readers therefore need a refresh only if there is nothing to append. */
  get #mustFollow(): boolean {
    if (this.#head.isRefreshRequired || this.#backoff.outage !== undefined) return true;
    // Other nodes append nothing during this node's turn. The hint is about entries that were read at its start.
    if (this.#head.isHinted && !this.#turns.isHeld) return true;
    return this.#turns.isNeededFor(this.#queue.size) || (this.#queue.size === 0 && this.#head.hasReaders);
  }

  async #follow(): Promise<boolean> {
    const { clock } = this.#options;
    const startMs = clock.monotonicMs();
    try {
      if (this.#turns.isNeededFor(this.#queue.size)) await this.#turns.take(this.#head);
      await this.#head.refresh();
      if (this.#options.journal.coordination !== undefined && this.#queue.size === 0)
        this.#backoff.resetIfUnreachable();
      this.#noteLift();
      return true;
    } catch (error) {
      this.#head.requireRefresh();
      if (!(error instanceof JournalError)) throw error;
      // No holder can renew while this node cannot catch up, just as while it cannot append.
      this.grace.restart();
      this.#backoff.noteFailure(error.code);
      for (const pending of this.#queue.takeLate(clock.monotonicMs())) this.#replies.refuseLate(pending);
      return false;
    } finally {
      this.grace.noteStallSince(startMs);
    }
  }

  async #followJournal(): Promise<void> {
    for (const { command, done } of await this.#follower.follow()) this.sendFirst(command, done);
  }

  /** Returns false if the journal failed. The next attempt waits for the backoff. */
  async #decideAndAppend(pending: readonly PendingCommand[]): Promise<boolean> {
    const { clock, ids, journal, replica } = this.#options;
    const startMs = clock.monotonicMs();
    let open = pending;
    let batch: DecidedBatch | undefined;
    const refresh = this.#head.beginRefresh();
    let isAtHead = false;
    try {
      const { recent, head } = replica;
      const keyed = await findKeyedEntries(pending, { journal, recent, head, mustQuery: this.#mustQueryKeys });
      this.#mustQueryKeys = false;
      open = this.#replies.refuseUnreadable(pending, keyed.unreadable);
      // A reply must not be ahead of the state that reads return.
      if (isAheadOf(keyed, replica.head)) return this.#retryAfter(open, "head");
      // The lookup itself may have stalled. Timers that were due before it must then wait for the grace period.
      this.grace.noteStallSince(startMs);
      batch = decideBatch(open, { replica, keyed: keyed.entries, grace: !this.grace.isOver(), clock });
      const { entries, postponed } = batch;
      const unproven = entries.length > 0 ? undefined : this.#unprovenPart(batch, keyed.unproven);
      if (unproven !== undefined) return this.#retryAfter(open, unproven);
      if (postponed.length > 0) this.#requeue(postponed);
      const sealed = entries.length === 0 ? undefined : seal(entries, replica.head, ids.salts(entries.length));
      if (sealed !== undefined && !(await this.#append(sealed, batch, keyed.unproven))) return true;
      isAtHead = sealed !== undefined;
      this.#backoff.reset();
      this.#replies.sendOutcomes(batch);
      return true;
    } catch (error) {
      return this.#failed(error, batch?.results.map((result) => result.pending) ?? open);
    } finally {
      if (isAtHead) refresh.done();
      else if (refresh.skipped()) this.#head.requireRefresh();
      this.grace.noteStallSince(startMs);
      this.#settled.fire();
    }
  }

  /** No append proves the results of a batch without entries. So its keys are queried, and the head is read. */
  #unprovenPart(batch: DecidedBatch, keys: readonly string[]): "head" | "keys" | undefined {
    if (keys.length > 0) return "keys";
    const mayBeBehind = this.#options.journal.coordination !== undefined && !this.#turns.isHeld;
    return mayBeBehind && mustReadHead(batch) ? "head" : undefined;
  }

  /** Requeues the commands. The next decision first reads the head, or queries the keys. */
  #retryAfter(pending: readonly PendingCommand[], step: "head" | "keys"): true {
    this.#requeue(pending);
    if (step === "head") this.#head.requireRefresh();
    else this.#mustQueryKeys = true;
    return true;
  }

  /** Treats a leap of the engine's time as a stall. Holders could not renew leases that are overdue by that leap alone. */
  #noteLift(): void {
    this.grace.noteStall(this.#options.replica.time.takeLift());
  }

  /** Returns false if another node appended first. The commands are requeued and decided again. */
  async #append(sealed: ReturnType<typeof seal>, batch: DecidedBatch, unproven: readonly string[]): Promise<boolean> {
    const startMs = this.#options.clock.monotonicMs();
    const appended = await this.#options.journal.append(sealed, unproven);
    if (appended.kind === "appended") {
      this.#turns.noteAppend();
      this.#options.replica.accept(sealed);
      this.#options.on.moved();
      this.#options.onBatch?.({ entries: sealed.entries, appendMs: this.#options.clock.monotonicMs() - startMs });
      return true;
    }
    this.#options.replica.machine.undo();
    const tried = batch.results.map(({ pending }) => pending);
    if (appended.kind === "used") return !this.#retryAfter(tried, "keys");
    this.#requeue(tried);
    this.#turns.noteLostRace();
    await this.#turns.release();
    const missed = appended.kind === "behind" ? appended.missed : undefined;
    if (missed !== undefined) this.#follower.foldMissed(missed);
    if (missed?.isLast !== true) this.#head.requireRefresh();
    this.#noteLift();
    return false;
  }

  #failed(error: unknown, tried: readonly PendingCommand[]): boolean {
    const { replica, on } = this.#options;
    replica.machine.undo();
    if (!(error instanceof JournalError)) {
      this.#requeue(tried);
      throw error;
    }
    if (error.code === "invalid") return this.#isolate(tried, error);
    this.grace.restart();
    if (this.#backoff.outage === undefined) on.report(`the journal cannot be written: ${error.message}`, error);
    this.#backoff.noteFailure(error.code);
    if (error.certain) {
      for (const pending of tried) this.#replies.refuseUndecided(pending);
    } else {
      for (const pending of tried) pending.isAttempted = true;
      this.#requeue(tried);
    }
    // A shared journal is polled until it answers. A node that is not ready gets no commands to try it with.
    if (!error.certain || this.#options.journal.coordination !== undefined) this.#head.requireRefresh();
    return false;
  }

  /** Isolates a command that can never be appended. The other commands of its batch must not fail with it. */
  #isolate(tried: readonly PendingCommand[], error: JournalError): boolean {
    this.#options.on.report(`an append was refused permanently: ${error.message}`, error);
    if (tried.length === 1) {
      for (const pending of tried) this.#replies.refuse(pending, "internal_error", { command_id: pending.command.id });
    } else {
      this.#singleCount = tried.length;
      this.#requeue(tried);
    }
    return true;
  }

  #requeue(commands: readonly PendingCommand[]): void {
    this.#queue.requeue(commands.filter(({ isTimer }) => !isTimer));
  }

  /** Stops this node permanently, after an entry that it does not understand or a bug. */
  #break(error: unknown): void {
    const broken = error instanceof Error ? error : new Error(String(error));
    this.#broken = broken;
    this.#options.on.report(`this node is stopping: ${broken.message}`, error);
    for (const pending of this.#queue.takeLate(Infinity)) this.#replies.refuseBroken(pending, broken.message);
    this.#head.beginRefresh().failed(stoppingError(error));
    this.#options.on.broken(error);
  }
}
