/**
 * Executes the erasures that entries request. The requesting entry is durable first, then the payload is removed from the
 * journal, then from the event stream if there is one. After a kill or a failure, the next start, the next connection to
 * the stream or the next request completes the erasure.
 *
 * A start must not check all erasures of the history, and checking the newest few would miss some, because many may be
 * requested at once. The journal therefore stores a watermark of completed erasures, with the list of those that failed.
 *
 * The executor reads the mark for each task and never caches it, because a restore of the journal restores the mark too.
 * Nodes that share a journal may write the mark concurrently. Each written mark is correct: its node has checked all
 * erasures between the mark that it read and the mark that it writes.
 */
import { pause } from "@holdfast/sdk/base/pause";
import type { Clock } from "../base/clock.ts";
import type { PayloadErasure, ErasureMark, Journal } from "../journal/journal.ts";
import type { Entry } from "../machine/entry.ts";
import type { StateReader } from "../machine/state.ts";
import { engineLimits } from "./limits.ts";
import { CopiesRemainError } from "./payload-copies.ts";
import type { PayloadCopies } from "./payload-copies.ts";

/** Reads erasures from the state and from entries. The engine itself knows no feature. */
export interface ErasureLookup {
  /** The erasures that entries after this position request. */
  readonly requestedAfter: (state: StateReader, position: number) => readonly PayloadErasure[];
  /** The position of the entry that erased the entry at this position, if there is one. */
  readonly erasedBy: (state: StateReader, position: number) => number | undefined;
  /** The position whose payload this entry erases, if it erases one. */
  readonly erasedPosition: (entry: Entry) => number | undefined;
}

interface ErasureExecutorOptions {
  readonly journal: Journal;
  readonly erasures: ErasureLookup;
  readonly clock: Clock;
  /** Reads durable rows in order. */
  readonly scan: <Result>(query: (state: StateReader) => Result) => Promise<Result>;
  /** Saves a checkpoint. */
  readonly checkpoint: () => Promise<unknown>;
  readonly report: (message: string, cause: unknown) => void;
}

interface JournalErasures {
  readonly erased: readonly PayloadErasure[];
  readonly failures: readonly ErasureFailure[];
}

interface ErasureFailure {
  readonly erasure: PayloadErasure;
  readonly error: unknown;
}

export class ErasureExecutor {
  readonly #options: ErasureExecutorOptions;
  readonly #copies = new Set<PayloadCopies>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ErasureExecutorOptions) {
    this.#options = options;
  }

  /**
   * Adds copies of payloads outside the journal, before the first copy is made. From then on an erasure is complete only if
   * its copies are removed, in every process. Returns the function that ends this process's access to the copies.
   */
  async addCopies(copies: PayloadCopies): Promise<() => void> {
    await this.#enqueue(async () => {
      const { journal } = this.#options;
      const mark = await journal.erasureMark();
      if (mark.has_event_stream !== true) await journal.setErasureMark({ ...mark, has_event_stream: true });
    });
    this.#copies.add(copies);
    return () => this.#copies.delete(copies);
  }

  /**
   * Completes unfinished erasures. A failure is reported to the operator and does not prevent the start. `copied` returns
   * erasures whose copies are removed even if they were complete.
   */
  resume(copied: () => readonly PayloadErasure[] = () => []): Promise<void> {
    return this.#enqueue(async () => {
      try {
        const mark = await this.#options.journal.erasureMark();
        const requested = await this.#requestedAfter(mark.to);
        const unfinished = await this.#eraseAll(await this.#requestedOf(mark.left), true);
        const added = await this.#eraseAll(requested, false);
        const erased = distinct([...unfinished.erased, ...added.erased, ...(await this.#requestedOf(copied()))]);
        const uncopied = await this.#removeCopies(erased, { mark });
        const failures = [...unfinished.failures, ...added.failures, ...uncopied];
        this.#report(this.#copies.size > 0 ? failures : failures.filter(({ error }) => !isAboutCopies(error)));
        await this.#setMark(mark, requested, { left: failures.map(({ erasure }) => erasure) });
      } catch (error) {
        this.#options.report("unfinished erasures could not be checked; the next start retries", error);
      }
    });
  }

  /**
   * Removes the payload permanently, or throws the error that prevented it. It always calls the journal, because an earlier
   * attempt may have failed at its last step. It also executes other requested erasures. Their failures are only reported.
   */
  execute(own: PayloadErasure): Promise<void> {
    return this.#enqueue(async () => {
      const { erased, failures } = await this.#eraseAll([own], true);
      const [failure] = [...failures, ...(await this.#removeCopies(erased))];
      await this.#executeOthers(own, failure).catch((error: unknown) => {
        // Nothing is lost. The next start checks again.
        this.#options.report("the mark of completed erasures could not be stored", error);
      });
      if (failure !== undefined) throw failure.error;
    });
  }

  async #executeOthers(own: PayloadErasure, failure: ErasureFailure | undefined): Promise<void> {
    const mark = await this.#options.journal.erasureMark();
    const isOther = ({ position }: PayloadErasure): boolean => position !== own.position;
    const requested = await this.#requestedAfter(mark.to);
    const others = await this.#eraseAll(requested.filter(isOther), false);
    const failures = [...others.failures, ...(await this.#removeCopies(others.erased, { mark }))];
    this.#report(failures);
    const failed = failure === undefined ? failures : [failure, ...failures];
    const left = [...mark.left.filter(isOther), ...failed.map(({ erasure }) => erasure)];
    await this.#setMark(mark, requested, { left });
  }

  /** Sorted by position. Neighbours are in the same batch or block, which is then read once. */
  async #requestedAfter(position: number): Promise<readonly PayloadErasure[]> {
    const requested = await this.#options.scan((state) => this.#options.erasures.requestedAfter(state, position));
    return requested.toSorted((a, b) => a.position - b.position);
  }

  /** Omits erasures that only a lost history requested. */
  #requestedOf(left: readonly PayloadErasure[]): Promise<readonly PayloadErasure[]> {
    const { erasures, scan } = this.#options;
    return scan((state) => left.filter(({ position, by }) => erasures.erasedBy(state, position) === by));
  }

  async #eraseAll(requested: readonly PayloadErasure[], mustErase: boolean): Promise<JournalErasures> {
    const erased: PayloadErasure[] = [];
    const failures: ErasureFailure[] = [];
    for (const erasure of requested) {
      try {
        await this.#erase(erasure, mustErase);
        erased.push(erasure);
      } catch (error) {
        failures.push({ erasure, error });
      }
    }
    return { erased, failures };
  }

  /**
   * Removes the copies of erased payloads, all in one pass, because the pass reads the whole stream. A process without
   * access to the copies succeeds only if another node has removed them, which the mark shows. It waits for that node
   * unless a mark is given.
   */
  async #removeCopies(
    erased: readonly PayloadErasure[],
    { mark }: { readonly mark?: ErasureMark } = {},
  ): Promise<readonly ErasureFailure[]> {
    if (erased.length === 0) return [];
    try {
      for (const copies of this.#copies) await copies.remove(erased);
      if (this.#copies.size > 0) return [];
      const isComplete = isCompleteIn(mark ?? (await this.#markOfOthers(erased)));
      const error = new CopiesRemainError(
        "the event stream may still contain the payload, and this process is not connected to NATS: a node with the " +
          "setting nats removes it there when it runs",
      );
      return erased.filter((erasure) => !isComplete(erasure)).map((erasure) => ({ erasure, error }));
    } catch (error) {
      return erased.map((erasure) => ({ erasure, error }));
    }
  }

  /** Waits within a limit for a node that has access to the copies. */
  async #markOfOthers(erased: readonly PayloadErasure[]): Promise<ErasureMark> {
    const { journal, clock } = this.#options;
    const untilMs = clock.monotonicMs() + engineLimits.copiesWaitMsMax;
    for (;;) {
      const mark = await journal.erasureMark();
      const mayChange = journal.coordination !== undefined && clock.monotonicMs() < untilMs;
      if (!mayChange || erased.every(isCompleteIn(mark))) return mark;
      await pause(clock, engineLimits.copiesPollMs, { keepAlive: false });
    }
  }

  /** With `mustErase` it calls the journal even if the payload is already erased. */
  async #erase({ position, by }: PayloadErasure, mustErase: boolean): Promise<void> {
    const { journal, checkpoint } = this.#options;
    const [entry] = await journal.readAt([position]);
    // The journal deletes checkpoints that are older than the erasure, so a newer one must exist before.
    if (entry?.erased === undefined) await checkpoint();
    else if (!mustErase) return;
    await journal.erase(position, by);
  }

  async #setMark(
    mark: ErasureMark,
    requested: readonly PayloadErasure[],
    { left }: Pick<ErasureMark, "left">,
  ): Promise<void> {
    const to = requested.reduce((last, { by }) => Math.max(last, by), mark.to);
    if (to === mark.to && isSameList(left, mark.left)) return;
    const copied = this.#copies.size > 0 ? { has_event_stream: true as const } : {};
    await this.#options.journal.setErasureMark({ ...mark, ...copied, to, left });
  }

  #report(failures: readonly ErasureFailure[]): void {
    const [first] = failures;
    if (first === undefined) return;
    const { position, by } = first.erasure;
    const more = failures.length === 1 ? "" : `, and ${String(failures.length - 1)} more,`;
    const message = `the payload of entry ${String(position)}, which entry ${String(by)} erased,${more} could not be removed`;
    this.#options.report(`${message}; the next start or the next request retries`, first.error);
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const task = this.#last.then(work);
    this.#last = task.catch(() => undefined);
    return task;
  }
}

/** Whether an erasure is complete, according to a mark. */
function isCompleteIn(mark: ErasureMark): (erasure: PayloadErasure) => boolean {
  if (mark.has_event_stream !== true) return () => true;
  return ({ position, by }) => mark.to >= by && !mark.left.some((one) => one.position === position);
}

function isAboutCopies(error: unknown): boolean {
  return error instanceof CopiesRemainError;
}

function distinct(erasures: readonly PayloadErasure[]): readonly PayloadErasure[] {
  return [...new Map(erasures.map((erasure) => [erasure.position, erasure])).values()];
}

function isSameList(a: readonly PayloadErasure[], b: readonly PayloadErasure[]): boolean {
  return a.length === b.length && a.every(({ position }, index) => position === b[index]?.position);
}
