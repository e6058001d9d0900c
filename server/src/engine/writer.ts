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
import type { Clock } from "../base/clock.ts";
import type { Ids } from "../base/ids.ts";
import { JournalError } from "../journal/journal.ts";
import type { Journal } from "../journal/journal.ts";
import { seal } from "../journal/seal.ts";
import type { Entry } from "../machine/entry.ts";
import type { TimerCommand } from "../machine/feature.ts";
import type { StateReader } from "../machine/state.ts";
import { decideBatch } from "./batch.ts";
import type { Batch } from "./batch.ts";
import { CommandQueue } from "./command-queue.ts";
import type { Waiting } from "./command-queue.ts";
import { findPriors } from "./find-priors.ts";
import { Grace } from "./grace.ts";
import { engineLimits } from "./limits.ts";
import type { Replica } from "./replica.ts";
import { replyFromEntry, replyOf, unanswered } from "./reply.ts";
import { Signal } from "./signal.ts";
import { TimerWatch } from "./timer-watch.ts";
import { worse } from "./trouble.ts";
import type { Trouble } from "./trouble.ts";

export interface WriterOptions {
  readonly journal: Journal;
  readonly replica: Replica;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The command that raises the epoch, made from the state that was lost. */
  readonly afterLoss: (lost: StateReader) => TimerCommand;
  readonly on: WriterListener;
}

export interface WriterListener {
  /** The head moved: entries are durable and folded. */
  moved(): void;
  /** The history that was folded here is gone. Reads wait until `loaded`. */
  lost(): void;
  loaded(): void;
  /** Something that an operator should know. */
  report(message: string, cause: unknown): void;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #queue = new CommandQueue();
  readonly #grace: Grace;
  readonly #timers: TimerWatch;
  readonly #settled = new Signal();
  #run: Promise<void> | undefined;
  #isScheduled = false;
  #mustFollow = false;
  /** How many commands are still to be decided one by one, because one of them made an append impossible. */
  #aloneCount = 0;
  #trouble: Trouble | undefined;
  #cancelRetry: (() => void) | undefined;
  #lossCommand: TimerCommand | undefined;
  #broken: Error | undefined;
  #isStopping = false;
  #isStopped = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#grace = new Grace(options.clock.monotonicMs());
    this.#timers = new TimerWatch({
      clock: options.clock,
      grace: this.#grace,
      wake: () => {
        this.wake();
      },
    });
  }

  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  get waitingCount(): number {
    return this.#queue.size;
  }

  /** Why a new command can't even wait, if so. */
  refusalNow():
    { readonly code: string; readonly retryAfterMs: number | undefined; readonly reason: string } | undefined {
    if (this.#isStopping) return { code: "stopping", retryAfterMs: undefined, reason: "stopping" };
    if (this.#broken !== undefined) return { code: "stopping", retryAfterMs: undefined, reason: this.#broken.message };
    const nowMs = this.#options.clock.monotonicMs();
    const trouble = this.#trouble;
    if (trouble !== undefined && trouble.retryAtMs > nowMs) {
      return {
        code: "journal_unavailable",
        retryAfterMs: Math.ceil(trouble.retryAtMs - nowMs),
        reason: trouble.reason,
      };
    }
    if (!this.#queue.hasRoom) return { code: "overloaded", retryAfterMs: this.#drainMs(), reason: "queue full" };
    return undefined;
  }

  submit(waiting: Waiting): void {
    this.#queue.push(waiting);
    this.wake();
  }

  /** Others may have appended. */
  followSoon(): void {
    this.#mustFollow = true;
    this.wake();
  }

  /** Runs the loop once what has arrived together is in the queue. */
  wake(): void {
    if (this.#isScheduled || this.#run !== undefined) return;
    this.#isScheduled = true;
    this.#options.clock.soon(() => {
      this.#isScheduled = false;
      this.#start();
    });
  }

  /** Resolves when the batch in flight is durable or undone. */
  settled(): Promise<void> {
    return this.#settled.next();
  }

  /** Decides and answers everything that waits, then accepts nothing more. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#start();
    await this.#run;
    if (this.#queue.size > 0) {
      this.#start();
      await this.#run;
    }
    this.#isStopped = true;
    this.#timers.stop();
    this.#cancelRetry?.();
    for (const waiting of this.#queue.takeLate(Infinity)) this.#answerUndecided(waiting);
  }

  #start(): void {
    if (this.#run !== undefined || this.#isStopped || this.#broken !== undefined) return;
    this.#run = this.#work()
      .catch((error: unknown) => {
        this.#break(error);
      })
      .finally(() => {
        this.#run = undefined;
        if (this.#broken !== undefined || this.#isStopped) return;
        this.#timers.watch(this.#options.replica.machine.nextTime(), this.#options.replica.time.now());
        // Without anything to do the next attempt is the next command's.
        if (this.#queue.size === 0 && !this.#mustFollow) return;
        if (this.#trouble === undefined) this.wake();
        else this.#retryLater(this.#trouble);
      });
  }

  async #work(): Promise<void> {
    const { clock, replica } = this.#options;
    for (;;) {
      if ((this.#mustFollow || this.#trouble !== undefined) && !(await this.#follow())) return;
      const commandsMax = this.#aloneCount > 0 ? 1 : engineLimits.batchCommandsMax;
      this.#aloneCount = Math.max(0, this.#aloneCount - 1);
      const { batch, late } = this.#queue.take(clock.monotonicMs(), commandsMax);
      for (const waiting of late) this.#answerLate(waiting);
      const due = this.#timers.take(replica.machine, replica.time.now(), commandsMax - batch.length);
      if (batch.length + due.length === 0) return;
      if (!(await this.#decideAndAppend(due.length === 0 ? batch : [...batch, ...due]))) return;
    }
  }

  async #decideAndAppend(waiting: readonly Waiting[]): Promise<boolean> {
    const { clock, ids, journal, replica } = this.#options;
    const startMs = clock.monotonicMs();
    let batch: Batch | undefined;
    try {
      const priors = await findPriors(waiting, { journal, recent: replica.recent });
      batch = decideBatch(waiting, { replica, priors, grace: !this.#grace.isOver(startMs), clock });
      const { entries } = batch;
      if (batch.postponed.length > 0) this.#putBack(batch.postponed);
      if (entries.length > 0 && !(await this.#append(seal(entries, replica.head, ids.salts(entries.length)), batch)))
        return true;
      this.#trouble = undefined;
      this.#answer(batch);
      return true;
    } catch (error) {
      return this.#failed(error, batch, waiting);
    } finally {
      this.#grace.noteStall(clock.monotonicMs(), clock.monotonicMs() - startMs);
      this.#settled.fire();
    }
  }

  /** False if somebody else was first: the commands go back and are decided again. */
  async #append(sealed: ReturnType<typeof seal>, batch: Batch): Promise<boolean> {
    const appended = await this.#options.journal.append(sealed);
    if (appended.kind === "appended") {
      this.#options.replica.accept(sealed);
      this.#options.on.moved();
      return true;
    }
    this.#options.replica.machine.undo();
    this.#putBack(batch.results.map(({ waiting }) => waiting));
    this.#mustFollow = true;
    return false;
  }

  #putBack(waiting: readonly Waiting[]): void {
    this.#queue.putBack(waiting.filter((one) => !one.isTimer));
  }

  #answer(batch: Batch): void {
    for (const { waiting, decided, position } of batch.results) {
      if (decided.defect !== undefined) {
        this.#options.on.report(
          `a defect stopped ${waiting.command.operation} (${waiting.command.id})`,
          decided.defect,
        );
      }
      waiting.reply(replyOf(decided, position));
    }
  }

  #failed(error: unknown, batch: Batch | undefined, waiting: readonly Waiting[]): boolean {
    const { replica, on } = this.#options;
    replica.machine.undo();
    const tried = batch === undefined ? waiting : batch.results.map((result) => result.waiting);
    if (!(error instanceof JournalError)) {
      this.#putBack(tried);
      throw error;
    }
    if (error.code === "invalid") return this.#isolate(tried, error);
    const nowMs = this.#options.clock.monotonicMs();
    this.#grace.startAgain(nowMs);
    if (this.#trouble === undefined) on.report(`the journal can't be written: ${error.message}`, error);
    this.#trouble = worse(this.#trouble, error.code, nowMs);
    if (error.certain) {
      for (const one of tried) this.#answerUndecided(one);
    } else {
      for (const one of tried) one.isAttempted = true;
      this.#putBack(tried);
      this.#mustFollow = true;
    }
    return false;
  }

  /** One command can't be written, whatever is tried. It must not take its neighbours with it. */
  #isolate(tried: readonly Waiting[], error: JournalError): boolean {
    this.#options.on.report(`an append was refused for good: ${error.message}`, error);
    if (tried.length === 1) {
      for (const one of tried) one.reply(unanswered("internal_error", { command_id: one.command.id }, this.#position));
      return true;
    }
    this.#aloneCount = tried.length;
    this.#putBack(tried);
    return true;
  }

  /** Folds what others appended, and answers those of our own commands that are found there. */
  async #follow(): Promise<boolean> {
    const { replica, on } = this.#options;
    try {
      while (
        (await replica.follow((entries) => {
          this.#folded(entries);
        })) === "diverged"
      ) {
        if (this.#lossCommand === undefined) {
          this.#lossCommand = this.#options.afterLoss(replica.machine.durable);
          on.report(`the journal no longer holds position ${String(this.#position)} as it was folded here`, undefined);
          on.lost();
        }
        replica.reset();
      }
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      this.#trouble = worse(this.#trouble, error.code, this.#options.clock.monotonicMs());
      for (const waiting of this.#queue.takeLate(this.#options.clock.monotonicMs())) this.#answerLate(waiting);
      return false;
    }
    this.#mustFollow = false;
    if (this.#lossCommand !== undefined) {
      this.#queue.putBack([this.#timers.waitingOf(this.#lossCommand, { isTimer: false })]);
      this.#lossCommand = undefined;
      on.loaded();
    }
    return true;
  }

  #folded(entries: readonly Entry[]): void {
    const attempted = new Map(this.#queue.front.filter((one) => one.isAttempted).map((one) => [one.command.id, one]));
    const answered = new Set<Waiting>();
    if (attempted.size > 0) {
      for (const entry of entries) {
        const waiting = attempted.get(entry.id);
        if (waiting === undefined || answered.has(waiting)) continue;
        waiting.reply(replyFromEntry(entry));
        answered.add(waiting);
      }
      this.#queue.removeFromFront(answered);
    }
    this.#options.on.moved();
  }

  #answerLate(waiting: Waiting): void {
    if (waiting.isAttempted || this.#trouble !== undefined) this.#answerUndecided(waiting);
    else waiting.reply(unanswered("deadline_passed", {}, this.#position));
  }

  /** The honest answer to a command that the journal kept from being decided. */
  #answerUndecided(waiting: Waiting): void {
    if (waiting.isAttempted) {
      waiting.reply(unanswered("outcome_unknown", { command_id: waiting.command.id }, this.#position));
      return;
    }
    const { reason = "stopping", retryAtMs = 0 } = this.#trouble ?? {};
    const retryAfterMs = Math.max(1, Math.ceil(retryAtMs - this.#options.clock.monotonicMs()));
    waiting.reply(unanswered("journal_unavailable", { reason, retry_after_ms: retryAfterMs }, this.#position));
  }

  #retryLater(trouble: Trouble): void {
    this.#cancelRetry?.();
    const delayMs = Math.max(0, trouble.retryAtMs - this.#options.clock.monotonicMs());
    const wake = (): void => {
      this.wake();
    };
    this.#cancelRetry = this.#options.clock.after(delayMs, wake, { keepAlive: this.#queue.size > 0 });
  }

  /** This node can't go on: it met history that it does not understand, or a defect of its own. */
  #break(error: unknown): void {
    this.#broken = error instanceof Error ? error : new Error(String(error));
    this.#options.on.report(`this node stops: ${this.#broken.message}`, error);
    for (const waiting of this.#queue.takeLate(Infinity)) {
      if (waiting.isAttempted) this.#answerUndecided(waiting);
      else waiting.reply(unanswered("stopping", { reason: this.#broken.message }, this.#position));
    }
  }

  get #position(): number {
    return this.#options.replica.head.position;
  }

  /** A guess at how long the queue takes: it drains at tens of thousands of commands a second. */
  #drainMs(): number {
    return 50 + Math.ceil(this.#queue.size / 50);
  }
}
