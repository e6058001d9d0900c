import { JournalError } from "../journal/journal.ts";
import { Latest } from "./latest.ts";
import { Signal } from "./signal.ts";

/**
 * When this node has to look at the journal's head: somebody else may have appended, nothing may be decided before the
 * journal has been read on, or readers must see whatever was acknowledged before they asked. One look serves them all.
 */
export class HeadWatch {
  /** Fires when a look would be good for something. */
  readonly hints = new Signal();
  readonly #readOn: () => Promise<void>;
  readonly #latest = new Latest();
  #isDemanded = false;
  #isHinted = false;

  constructor(readOn: () => Promise<void>) {
    this.#readOn = readOn;
  }

  /** Others may have appended. */
  hint(): void {
    this.#isHinted = true;
    this.hints.fire();
  }

  /** Nothing may be decided before the next look. */
  demand(): void {
    this.#isDemanded = true;
  }

  get isDemanded(): boolean {
    return this.#isDemanded;
  }

  get isHinted(): boolean {
    return this.#isHinted;
  }

  /** Somebody waits for the latest. */
  get isAwaited(): boolean {
    return this.#latest.isWanted;
  }

  get isWanted(): boolean {
    return this.#isDemanded || this.#isHinted || this.#latest.isWanted;
  }

  /** Resolves with the first look that begins from now on. */
  wait(): Promise<void> {
    const looked = this.#latest.wait();
    this.hints.fire();
    return looked;
  }

  /** Something begins that may tell as much about the head as a look does. */
  begin(): ReturnType<Latest["begin"]> {
    return this.#latest.begin();
  }

  /** Reads on, and tells all who wait for the latest. */
  async look(): Promise<void> {
    const look = this.#latest.begin();
    this.#isDemanded = false;
    this.#isHinted = false;
    try {
      await this.#readOn();
      look.done();
    } catch (error) {
      this.#isDemanded = true;
      // Anything else ends this node, and whoever stops it tells them.
      if (error instanceof JournalError) look.failed(error);
      else look.inVain();
      throw error;
    }
  }
}
