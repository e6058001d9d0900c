/**
 * Executes the erasures that entries request. The requesting entry is durable first, then the payload is removed. After a
 * kill or a failure, the next start or the next request completes the erasure.
 *
 * A start must not check all erasures of the history, and checking the newest few would miss some, because many may be
 * requested at once. The journal therefore stores a watermark of completed erasures, with the list of those that failed.
 *
 * The executor reads the mark for each task and never caches it, because a restore of the journal restores the mark too.
 * Nodes that share a journal may write the mark concurrently. Each written mark is correct: its node has checked all
 * erasures between the mark that it read and the mark that it writes.
 */
import type { PayloadErasure, ErasureMark, Journal } from "../journal/journal.ts";
import type { Entry } from "../machine/entry.ts";
import type { StateReader } from "../machine/state.ts";

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
  /** Reads durable rows in order. */
  readonly scan: <Result>(query: (state: StateReader) => Result) => Promise<Result>;
  /** Saves a checkpoint. */
  readonly checkpoint: () => Promise<unknown>;
  readonly report: (message: string, cause: unknown) => void;
}

interface ErasureFailure {
  readonly erasure: PayloadErasure;
  readonly error: unknown;
}

export class ErasureExecutor {
  readonly #options: ErasureExecutorOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ErasureExecutorOptions) {
    this.#options = options;
  }

  /** Completes unfinished erasures. A failure is reported to the operator and does not prevent the start. */
  resume(): Promise<void> {
    return this.#enqueue(async () => {
      try {
        const mark = await this.#options.journal.erasureMark();
        const requested = await this.#requestedAfter(mark.to);
        const left = await this.#requestedOf(mark.left);
        const failures = [...(await this.#tryAll(left, true)), ...(await this.#tryAll(requested, false))];
        this.#report(failures);
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
      const [failure] = await this.#tryAll([own], true);
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
    const failures = await this.#tryAll(requested.filter(isOther), false);
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

  async #tryAll(requested: readonly PayloadErasure[], mustErase: boolean): Promise<readonly ErasureFailure[]> {
    const failures: ErasureFailure[] = [];
    for (const erasure of requested) {
      try {
        await this.#erase(erasure, mustErase);
      } catch (error) {
        failures.push({ erasure, error });
      }
    }
    return failures;
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
    await this.#options.journal.setErasureMark({ to, left });
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

function isSameList(a: readonly PayloadErasure[], b: readonly PayloadErasure[]): boolean {
  return a.length === b.length && a.every(({ position }, index) => position === b[index]?.position);
}
