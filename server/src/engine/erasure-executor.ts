/**
 * Carries out what entries ask to be erased: an entry is durable first, and its payload is removed then. What a kill or a
 * failure left undone is done by the next start, or when somebody asks again.
 *
 * A start must not look at every erasure that there ever was, and the newest few are not enough: many may be asked for at
 * once. So the journal keeps a mark up to which they are carried out, with what was tried in vain. It is read for each piece
 * of work and never kept here: it goes back when the journal does. Nodes that share a journal may write it at the same time,
 * since what each writes is true: it has looked at everything between the mark that it found and the one that it leaves.
 */
import type { PayloadErasure, ErasureMark, Journal } from "../journal/journal.ts";
import type { Entry } from "../machine/entry.ts";
import type { StateReader } from "../machine/state.ts";

/** What the state and its entries say of erasures: the engine knows no feature. */
export interface ErasureLookup {
  /** What entries after this position ask for. */
  readonly requestedAfter: (state: StateReader, position: number) => readonly PayloadErasure[];
  /** The entry that erased the one at this position, if one did. */
  readonly erasedBy: (state: StateReader, position: number) => number | undefined;
  /** The position whose payload an entry erases, if it does. */
  readonly erasedPosition: (entry: Entry) => number | undefined;
}

export interface ErasureExecutorOptions {
  readonly journal: Journal;
  readonly erasures: ErasureLookup;
  /** Looks at rows in order, as they are durable. */
  readonly scan: <Result>(look: (state: StateReader) => Result) => Promise<Result>;
  /** Saves the state now. */
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

  /** Does what was left undone. What can't be done now is told to the operator, and keeps nobody from starting. */
  resume(): Promise<void> {
    return this.#inTurn(async () => {
      try {
        const mark = await this.#options.journal.erasureMark();
        const asked = await this.#askedAfter(mark.to);
        const left = await this.#stillAsked(mark.left);
        const failures = [...(await this.#tryAll(left, true)), ...(await this.#tryAll(asked, false))];
        this.#tell(failures);
        await this.#note(mark, asked, { left: failures.map(({ erasure }) => erasure) });
      } catch (error) {
        this.#options.report("erasures could not be looked at; the next start tries again", error);
      }
    });
  }

  /**
   * Removes the payload for good, or throws what kept it from that. Whatever was said of it before, the journal is asked:
   * it may have failed at its last step. Others that were asked for meanwhile are done too, and only told of if they fail.
   */
  execute(own: PayloadErasure): Promise<void> {
    return this.#inTurn(async () => {
      const [failure] = await this.#tryAll([own], true);
      await this.#goOn(own, failure).catch((error: unknown) => {
        // Nothing is lost by it: the next start looks again.
        this.#options.report("it could not be noted which erasures are carried out", error);
      });
      if (failure !== undefined) throw failure.error;
    });
  }

  async #goOn(own: PayloadErasure, failure: ErasureFailure | undefined): Promise<void> {
    const mark = await this.#options.journal.erasureMark();
    const isOther = ({ position }: PayloadErasure): boolean => position !== own.position;
    const asked = await this.#askedAfter(mark.to);
    const failures = await this.#tryAll(asked.filter(isOther), false);
    this.#tell(failures);
    const vain = failure === undefined ? failures : [failure, ...failures];
    await this.#note(mark, asked, { left: [...mark.left.filter(isOther), ...vain.map(({ erasure }) => erasure)] });
  }

  /** In the order of their positions: neighbours lie in the same batch or block, which is then read once. */
  async #askedAfter(position: number): Promise<readonly PayloadErasure[]> {
    const asked = await this.#options.scan((state) => this.#options.erasures.requestedAfter(state, position));
    return asked.toSorted((one, other) => one.position - other.position);
  }

  /** Never what only a history asked for that is gone. */
  #stillAsked(left: readonly PayloadErasure[]): Promise<readonly PayloadErasure[]> {
    const { erasures, scan } = this.#options;
    return scan((state) => left.filter(({ position, by }) => erasures.erasedBy(state, position) === by));
  }

  async #tryAll(asked: readonly PayloadErasure[], isAlwaysAsked: boolean): Promise<readonly ErasureFailure[]> {
    const failures: ErasureFailure[] = [];
    for (const erasure of asked) {
      try {
        await this.#erase(erasure, isAlwaysAsked);
      } catch (error) {
        failures.push({ erasure, error });
      }
    }
    return failures;
  }

  async #erase({ position, by }: PayloadErasure, isAlwaysAsked: boolean): Promise<void> {
    const { journal, checkpoint } = this.#options;
    const [entry] = await journal.readAt([position]);
    // A checkpoint from before the erasure may hold what is to be erased, and goes with it. So there is a newer one.
    if (entry?.erased === undefined) await checkpoint();
    else if (!isAlwaysAsked) return;
    await journal.erase(position, by);
  }

  async #note(mark: ErasureMark, asked: readonly PayloadErasure[], { left }: Pick<ErasureMark, "left">): Promise<void> {
    const to = asked.reduce((last, { by }) => Math.max(last, by), mark.to);
    if (to === mark.to && isSameList(left, mark.left)) return;
    await this.#options.journal.setErasureMark({ to, left });
  }

  #tell(failures: readonly ErasureFailure[]): void {
    const [first] = failures;
    if (first === undefined) return;
    const { position, by } = first.erasure;
    const more = failures.length === 1 ? "" : `, and ${String(failures.length - 1)} more,`;
    const message = `the payload of entry ${String(position)}, which entry ${String(by)} erased,${more} could not be removed`;
    this.#options.report(`${message}; the next start tries again, and so does whoever asks for it again`, first.error);
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

function isSameList(left: readonly PayloadErasure[], before: readonly PayloadErasure[]): boolean {
  return left.length === before.length && left.every(({ position }, index) => position === before[index]?.position);
}
