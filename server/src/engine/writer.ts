/**
 * The loop around the machine: take what waits, decide it, make it durable with one append, then answer.
 *
 * - One batch at a time. Nothing of it is visible, and no answer leaves, before the append is done.
 * - An append that failed for certain is undone and its callers are told; one whose fate is unknown is undone and its
 *   commands stay: before anything else is decided, the journal is read on, and whoever's id is found there is answered
 *   from its entry. The rest is decided again, from the look-up of its key on. So nothing runs twice.
 * - While the journal fails, new commands are refused at once with the time to come back; attempts go on with growing
 *   delays. Reads are not concerned.
 * - If the history that this node folded is gone, the state is dropped and folded again, and the epoch is raised.
 */
import { JournalError } from "../journal/journal.ts";
import { seal } from "../journal/seal.ts";
import type { TimerCommand } from "../machine/feature.ts";
import { ReplySender } from "./reply-sender.ts";
import { decideBatch } from "./decide-batch.ts";
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
  readonly #grace: GracePeriod;
  readonly #timers: TimerWatch;
  readonly #trouble: AppendBackoff;
  readonly #answers: ReplySender;
  readonly #settled = new Signal();
  readonly #turns: TurnPolicy;
  readonly #head = new HeadWatch(() => this.#readOn());
  #run: Promise<void> | undefined;
  #isScheduled = false;
  /** An append found a key that this node did not remember: the next look-up is a thorough one. */
  #isThorough = false;
  /** How many commands are still to be decided one by one, because one of them made an append impossible. */
  #aloneCount = 0;
  #broken: Error | undefined;
  /** Nothing is decided before the fold is done: two that move the replica would fold entries twice. */
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
    this.#grace = new GracePeriod(clock);
    this.#timers = new TimerWatch({ clock, grace: this.#grace, wake, rank: () => coordination?.rank() ?? 0 });
    this.#trouble = new AppendBackoff(clock, wake);
    const position = (): number => options.replica.head.position;
    this.#answers = new ReplySender({ backoff: this.#trouble, position, report: options.on.report });
  }

  get outage(): JournalOutage | undefined {
    return this.#trouble.outage;
  }

  get pendingCount(): number {
    return this.#queue.size;
  }

  admissionRefusal(): AdmissionRefusal | undefined {
    if (this.#phase !== "running") return { code: "stopping", reason: "this node stops", retryAfterMs: undefined };
    if (this.#broken !== undefined) return { code: "stopping", reason: this.#broken.message, retryAfterMs: undefined };
    return overloadRefusal(this.#trouble, this.#queue);
  }

  submit(waiting: PendingCommand): void {
    this.#queue.push(waiting);
    this.wake();
  }

  /**
   * Sends one before all that wait, and again until it is done: before a new epoch has begun, tokens of another
   * history are still taken for good.
   */
  sendFirst(command: TimerCommand, onDone: () => void): void {
    const reply = ({ outcome }: Reply): void => {
      if (outcome.kind === "done") onDone();
      // Any other would come back for ever. A node that stops still decides what waits, and not in the old epoch.
      else if (["journal_unavailable", "outcome_unknown"].includes(outcome.code) && this.#phase !== "stopped")
        this.sendFirst(command, onDone);
    };
    this.#queue.requeue([{ ...this.#timers.pendingOf(command, { isTimer: false }), reply }]);
    this.wake();
  }

  /** This node can't go on. */
  fail(error: unknown): void {
    this.#break(error);
  }

  /** From here on commands can be decided. Folding may have taken long, and nobody could renew meanwhile. */
  begin(): void {
    this.#phase = "running";
    this.#grace.restart();
    this.wake();
  }

  /** Resolves when all is folded that was durable before the call. Of a journal with one owner that need not be asked. */
  async catchUp(): Promise<void> {
    const refused = this.admissionRefusal();
    if (refused !== undefined && refused.code !== "overloaded") {
      const code = refused.code === "stopping" ? "closed" : "io";
      throw new JournalError(code, `the journal can't be asked for its head: ${refused.reason}`, { certain: true });
    }
    const looked = this.#head.waitForRefresh();
    this.wake();
    await looked;
  }

  /** Others may have appended. */
  followSoon(): void {
    this.#head.hint();
    this.wake();
  }

  /** Runs the loop once what has arrived together is in the queue. */
  wake(): void {
    if (this.#isScheduled || this.#run !== undefined) return;
    this.#isScheduled = true;
    const startMs = this.#options.clock.monotonicMs();
    this.#options.clock.soon(() => {
      this.#isScheduled = false;
      this.#grace.noteStallSince(startMs);
      this.#start();
    });
  }

  /** Resolves when the batch in flight is durable or undone. */
  settled(): Promise<void> {
    return this.#settled.next();
  }

  /** Decides and answers everything that waits, lets the rest of the engine finish, then accepts nothing more. */
  async stop(finish: () => Promise<void>): Promise<void> {
    if (this.#phase !== "stopped") this.#phase = "stopping";
    // What was under way ends first; a second round takes what it left, and while the journal fails that is all.
    await this.#runOnce();
    await this.#runOnce();
    await finish();
    // What that brought, such as the hash of the state.
    await this.#runOnce();
    this.#phase = "stopped";
    this.#timers.stop();
    this.#trouble.cancel();
    for (const waiting of this.#queue.takeLate(Infinity)) this.#answers.refuseUndecided(waiting);
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

  /** Nothing can be done now: look again when something is due, or when the next attempt is allowed. */
  #rest(): void {
    if (this.#phase === "stopped" || this.#broken !== undefined) return;
    const { machine, time } = this.#options.replica;
    this.#timers.watch(machine.nextTime(), time.now());
    if (this.#queue.size === 0 && !this.#head.isRefreshDue) return;
    if (this.#trouble.outage === undefined) this.wake();
    else this.#trouble.retryLater({ keepAlive: this.#queue.size > 0 });
  }

  async #work(): Promise<void> {
    const { clock, replica } = this.#options;
    for (;;) {
      if (this.#turns.isExpired) await this.#turns.release();
      if (this.#mustLook && !(await this.#follow())) return;
      const commandsMax = this.#aloneCount > 0 ? 1 : engineLimits.batchCommandsMax;
      this.#aloneCount = Math.max(0, this.#aloneCount - 1);
      const { batch, late } = this.#queue.take(clock.monotonicMs(), commandsMax);
      for (const waiting of late) this.#answers.refuseLate(waiting);
      const due = [
        ...this.#timers.takeDue(replica.machine, replica.time.now(), commandsMax - batch.length),
        // Not beside a command that is tried alone: it would never be known which of them can't be written.
        ...(batch.length < commandsMax
          ? this.#options.engineCommands().map((own) => this.#timers.pendingOfEngine(own))
          : []),
      ];
      if (batch.length + due.length === 0) return;
      if (!(await this.#decideAndAppend(due.length === 0 ? batch : [...batch, ...due]))) return;
      // Answers lead to new commands at once. Without a turn of the event loop in between, a busy queue would starve
      // timers, signals and sockets, and batches would stay small; and a turn at the head would end after one of them.
      if (this.#queue.size > 0 || this.#turns.isHeld) await this.#turn();
    }
  }

  /** An append says as much about the head as a look does, so readers wait for a look only if there is nothing to append. */
  get #mustLook(): boolean {
    if (this.#head.isRefreshRequired || this.#trouble.outage !== undefined) return true;
    // Others append nothing during a turn of this node: the hint is about what was read at its start.
    if (this.#head.isHinted && !this.#turns.isHeld) return true;
    return this.#turns.isNeededFor(this.#queue.size) || (this.#queue.size === 0 && this.#head.hasReaders);
  }

  /** Lets everybody else run. If the process stood still meanwhile, nobody could renew. */
  #turn(): Promise<void> {
    const startMs = this.#options.clock.monotonicMs();
    return new Promise((resolve) => {
      this.#options.clock.soon(() => {
        this.#grace.noteStallSince(startMs);
        resolve();
      });
    });
  }

  async #follow(): Promise<boolean> {
    const { clock } = this.#options;
    const startMs = clock.monotonicMs();
    try {
      if (this.#turns.isNeededFor(this.#queue.size)) await this.#turns.take(this.#head);
      await this.#head.refresh();
      if (this.#options.journal.coordination !== undefined && this.#queue.size === 0)
        this.#trouble.resetIfUnreachable();
      this.#noteLift();
      return true;
    } catch (error) {
      this.#head.requireRefresh();
      if (!(error instanceof JournalError)) throw error;
      // Nobody can renew while this node can't catch up, just as while it can't append.
      this.#grace.restart();
      this.#trouble.noteFailure(error.code);
      for (const waiting of this.#queue.takeLate(clock.monotonicMs())) this.#answers.refuseLate(waiting);
      return false;
    } finally {
      this.#grace.noteStallSince(startMs);
    }
  }

  async #readOn(): Promise<void> {
    for (const { command, done } of await this.#follower.follow()) this.sendFirst(command, done);
  }

  /** False if the journal failed, and nothing more should be tried for a while. */
  async #decideAndAppend(waiting: readonly PendingCommand[]): Promise<boolean> {
    const { clock, ids, journal, replica } = this.#options;
    const startMs = clock.monotonicMs();
    let open = waiting;
    let batch: DecidedBatch | undefined;
    const look = this.#head.beginRefresh();
    let isAtHead = false;
    try {
      const { recent, head } = replica;
      const priors = await findKeyedEntries(waiting, { journal, recent, head, mustQuery: this.#isThorough });
      this.#isThorough = false;
      open = this.#answers.refuseUnreadable(waiting, priors.unreadable);
      // An answer must not be about what reads don't show.
      if (isAheadOf(priors, replica.head)) return this.#lookFirst(open, "head");
      // The look-up may have been the stall, and what was due before it must then wait for the grace.
      this.#grace.noteStallSince(startMs);
      batch = decideBatch(open, { replica, priors: priors.entries, grace: !this.#grace.isOver(), clock });
      const { entries, postponed } = batch;
      if (entries.length === 0 && priors.unproven.length > 0) return this.#lookFirst(open, "keys");
      if (postponed.length > 0) this.#putBack(postponed);
      const sealed = entries.length === 0 ? undefined : seal(entries, replica.head, ids.salts(entries.length));
      if (sealed !== undefined && !(await this.#append(sealed, batch, priors.unproven))) return true;
      isAtHead = sealed !== undefined;
      this.#trouble.reset();
      this.#answers.sendOutcomes(batch);
      return true;
    } catch (error) {
      return this.#failed(error, batch?.results.map((result) => result.waiting) ?? open);
    } finally {
      if (isAtHead) look.done();
      else if (look.inVain()) this.#head.requireRefresh();
      this.#grace.noteStallSince(startMs);
      this.#settled.fire();
    }
  }

  /** Nothing is decided before the head or the keys have been looked at. */
  #lookFirst(waiting: readonly PendingCommand[], at: "head" | "keys"): true {
    this.#putBack(waiting);
    if (at === "head") this.#head.requireRefresh();
    else this.#isThorough = true;
    return true;
  }

  /** The time of another node was ahead: what is overdue by that leap alone could not be renewed. */
  #noteLift(): void {
    this.#grace.noteStall(this.#options.replica.time.takeLift());
  }

  /** False if somebody else was first: the commands go back and are decided again. */
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
    const tried = batch.results.map(({ waiting }) => waiting);
    if (appended.kind === "used") return !this.#lookFirst(tried, "keys");
    this.#putBack(tried);
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
      this.#putBack(tried);
      throw error;
    }
    if (error.code === "invalid") return this.#isolate(tried, error);
    this.#grace.restart();
    if (this.#trouble.outage === undefined) on.report(`the journal can't be written: ${error.message}`, error);
    this.#trouble.noteFailure(error.code);
    if (error.certain) {
      for (const one of tried) this.#answers.refuseUndecided(one);
    } else {
      for (const one of tried) one.isAttempted = true;
      this.#putBack(tried);
    }
    // One that others share is asked until it answers: a node that says it is not ready gets nothing to try it with.
    if (!error.certain || this.#options.journal.coordination !== undefined) this.#head.requireRefresh();
    return false;
  }

  /** One command can't be written, whatever is tried. It must not take its neighbours with it. */
  #isolate(tried: readonly PendingCommand[], error: JournalError): boolean {
    this.#options.on.report(`an append was refused for good: ${error.message}`, error);
    if (tried.length === 1) {
      for (const one of tried) this.#answers.refuse(one, "internal_error", { command_id: one.command.id });
    } else {
      this.#aloneCount = tried.length;
      this.#putBack(tried);
    }
    return true;
  }

  #putBack(waiting: readonly PendingCommand[]): void {
    this.#queue.requeue(waiting.filter((one) => !one.isTimer));
  }

  /** This node can't go on: it met history that it does not understand, or a defect of its own. */
  #break(error: unknown): void {
    const broken = error instanceof Error ? error : new Error(String(error));
    this.#broken = broken;
    this.#options.on.report(`this node stops: ${broken.message}`, error);
    for (const waiting of this.#queue.takeLate(Infinity)) this.#answers.refuseBroken(waiting, broken.message);
    this.#head.beginRefresh().failed(stoppingError(error));
    this.#options.on.broken(error);
  }
}
