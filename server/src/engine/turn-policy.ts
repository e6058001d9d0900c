import type { Clock } from "../base/clock.ts";
import type { NodeCoordination } from "../journal/journal.ts";
import type { HeadWatch } from "./head-watch.ts";
import { engineLimits } from "./limits.ts";

/**
 * Decides when this node takes turns at the head of a shared journal. A node that is alone appends without a turn, in one
 * round trip. Once it has lost a race, it takes a turn before it decides, so that it cannot lose again. It stops taking
 * turns after a number of turns without entries of another node.
 *
 * A turn lasts while there are commands to append, within a limit. The handover costs about a round trip in which no node
 * appends. One turn for each batch would therefore make two nodes slower than one.
 */
export class TurnPolicy {
  readonly #coordination: NodeCoordination | undefined;
  readonly #clock: Clock;
  #quietCount = Infinity;
  #hasPeerEntries = false;
  #hasLostRace = false;
  #state: "none" | "requested" | "held" = "none";
  /** The start of the turn, and the number of batches appended in it. */
  #sinceMs = 0;
  #batchCount = 0;

  constructor(coordination: NodeCoordination | undefined, clock: Clock) {
    this.#coordination = coordination;
    this.#clock = clock;
  }

  /** True if a turn must be taken before the commands are decided. After a lost race this also covers timer commands. */
  isNeededFor(commandCount: number): boolean {
    if (this.#coordination === undefined || this.#state === "held") return false;
    return this.#hasLostRace || (commandCount > 0 && this.#quietCount < engineLimits.quietTurnsMax);
  }

  get isHeld(): boolean {
    return this.#state === "held";
  }

  /** True if the turn has reached its limit and must be released. */
  get isExpired(): boolean {
    if (this.#state !== "held") return false;
    const { turnMs, turnBatches, turnMsMax } = engineLimits;
    const heldMs = this.#clock.monotonicMs() - this.#sinceMs;
    return heldMs >= turnMsMax || (heldMs >= turnMs && this.#batchCount >= turnBatches);
  }

  /** Counts an appended batch. */
  noteAppend(): void {
    this.#batchCount += 1;
  }

  /** Records that another node appended first. */
  noteLostRace(): void {
    this.#quietCount = 0;
    this.#hasLostRace = true;
  }

  /** Records that entries of another node were folded. */
  notePeerEntries(): void {
    this.#hasPeerEntries = true;
  }

  /** Waits for the turn. It folds the entries of other nodes during the wait, so that few are left for the turn itself. */
  async take(head: HeadWatch): Promise<void> {
    if (this.#coordination === undefined) throw new Error("a journal that is not shared has no turns");
    this.#state = "requested";
    const taking = this.#coordination.takeTurn();
    try {
      while (await settlesFirst(head.hints.next(), taking)) await head.refresh();
    } catch (error) {
      taking.catch(() => undefined);
      await this.release();
      throw error;
    }
    this.#state = "held";
    this.#sinceMs = this.#clock.monotonicMs();
    this.#batchCount = 0;
    this.#quietCount = this.#hasPeerEntries ? 0 : this.#quietCount + 1;
    this.#hasPeerEntries = false;
    this.#hasLostRace = false;
  }

  /** Releases the turn, or cancels the request for it. */
  async release(): Promise<void> {
    if (this.#state === "none") return;
    this.#state = "none";
    await this.#coordination?.endTurn();
  }
}

/** True if `candidate` settled before `other`, false if `other` has settled. */
function settlesFirst(candidate: Promise<void>, other: Promise<void>): Promise<boolean> {
  return Promise.race([other.then(() => false), candidate.then(() => true)]);
}
