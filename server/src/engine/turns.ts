import type { Followed, Head, PageLimit, Sharing } from "../journal/journal.ts";
import { engineLimits } from "./limits.ts";

/**
 * When this node takes turns at the head of a journal that it shares. Alone it appends without asking, in one round
 * trip. Once another node was faster it takes its turn before it decides, so that it can't lose again; and goes on with
 * that until nobody else was met for a while.
 */
export class Turns {
  readonly #sharing: Sharing | undefined;
  #quietCount = Infinity;
  #isHeld = false;

  constructor(sharing: Sharing | undefined) {
    this.#sharing = sharing;
  }

  get isWanted(): boolean {
    return this.#sharing !== undefined && this.#quietCount < engineLimits.quietTurnsMax;
  }

  /** Another node appended first. */
  noteLost(): void {
    this.#quietCount = 0;
  }

  /** Waits for the turn; the answer brings what others appended before. */
  async take(after: Head, limit: PageLimit): Promise<Followed> {
    if (this.#sharing === undefined) throw new Error("this journal has no turns");
    const followed = await this.#sharing.takeTurn(after, limit);
    this.#isHeld = true;
    const isQuiet = followed.kind === "followed" && followed.entries.length === 0;
    this.#quietCount = isQuiet ? this.#quietCount + 1 : 0;
    return followed;
  }

  /** An append ends the turn, whatever comes of it. */
  noteAppend(): void {
    this.#isHeld = false;
  }

  /** Nothing was appended: the others need not wait. */
  async giveBack(): Promise<void> {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    await this.#sharing?.endTurn();
  }
}
