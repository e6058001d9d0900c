import type { Clock } from "../base/clock.ts";
import type { NodeCoordination } from "../journal/journal.ts";
import type { HeadWatch } from "./head-watch.ts";
import { engineLimits } from "./limits.ts";

/**
 * When this node takes turns at the head of a journal that it shares. Alone it appends without asking, in one round
 * trip. Once another node was faster it takes its turn before it decides, so that it can't lose again; and goes on with
 * that until nobody else was met for a while.
 *
 * A turn lasts as long as there is something to append, within a bound. Handing it over costs about a round trip in which
 * nobody appends; so a turn for each batch would make two nodes slower than one.
 */
export class TurnPolicy {
  readonly #coordination: NodeCoordination | undefined;
  readonly #clock: Clock;
  #quietCount = Infinity;
  #hasMet = false;
  #hasLost = false;
  #state: "none" | "asked" | "held" = "none";
  /** When the turn began, and what it was good for. */
  #sinceMs = 0;
  #batchCount = 0;

  constructor(coordination: NodeCoordination | undefined, clock: Clock) {
    this.#coordination = coordination;
    this.#clock = clock;
  }

  /** Whether a turn must be taken before so many commands are decided. What was lost before may have been a timer's. */
  isNeededFor(commandCount: number): boolean {
    if (this.#coordination === undefined || this.#state === "held") return false;
    return this.#hasLost || (commandCount > 0 && this.#quietCount < engineLimits.quietTurnsMax);
  }

  get isHeld(): boolean {
    return this.#state === "held";
  }

  /** Others may have waited for long enough. */
  get isExpired(): boolean {
    if (this.#state !== "held") return false;
    const { turnMs, turnBatches, turnMsMax } = engineLimits;
    const heldMs = this.#clock.monotonicMs() - this.#sinceMs;
    return heldMs >= turnMsMax || (heldMs >= turnMs && this.#batchCount >= turnBatches);
  }

  /** A batch was appended. */
  noteAppend(): void {
    this.#batchCount += 1;
  }

  /** Another node appended first. */
  noteLostRace(): void {
    this.#quietCount = 0;
    this.#hasLost = true;
  }

  /** Entries of another node were folded. */
  notePeerEntries(): void {
    this.#hasMet = true;
  }

  /** Waits for the turn. What others append meanwhile is folded at once, so that little of it is left for the turn itself. */
  async take(head: HeadWatch): Promise<void> {
    if (this.#coordination === undefined) throw new Error("this journal has no turns");
    this.#state = "asked";
    const taking = this.#coordination.takeTurn();
    try {
      while (await isFirst(head.hints.next(), taking)) await head.refresh();
    } catch (error) {
      taking.catch(() => undefined);
      await this.release();
      throw error;
    }
    this.#state = "held";
    this.#sinceMs = this.#clock.monotonicMs();
    this.#batchCount = 0;
    this.#quietCount = this.#hasMet ? 0 : this.#quietCount + 1;
    this.#hasMet = false;
    this.#hasLost = false;
  }

  /** The others need not wait any longer. */
  async release(): Promise<void> {
    if (this.#state === "none") return;
    this.#state = "none";
    await this.#coordination?.endTurn();
  }
}

/** True if it happened before the other; false if both have. */
function isFirst(one: Promise<void>, other: Promise<void>): Promise<boolean> {
  return Promise.race([other.then(() => false), one.then(() => true)]);
}
