import { JournalError } from "../journal/journal.ts";
import { HeadReaders } from "./head-readers.ts";
import { Signal } from "./signal.ts";

/**
 * When this node has to look at the journal's head: somebody else may have appended, nothing may be decided before the
 * journal has been read on, or readers must see whatever was acknowledged before they asked. One look serves them all.
 */
export class HeadWatch {
  /** Fires when a look would be good for something. */
  readonly hints = new Signal();
  readonly #readOn: () => Promise<void>;
  readonly #latest = new HeadReaders();
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
  requireRefresh(): void {
    this.#isDemanded = true;
  }

  get isRefreshRequired(): boolean {
    return this.#isDemanded;
  }

  get isHinted(): boolean {
    return this.#isHinted;
  }

  /** Somebody waits for the latest. */
  get hasReaders(): boolean {
    return this.#latest.isWaiting;
  }

  get isRefreshDue(): boolean {
    return this.#isDemanded || this.#isHinted || this.#latest.isWaiting;
  }

  /** Resolves with the first look that begins from now on. */
  waitForRefresh(): Promise<void> {
    const looked = this.#latest.wait();
    this.hints.fire();
    return looked;
  }

  /** Something begins that may tell as much about the head as a look does. */
  beginRefresh(): ReturnType<HeadReaders["beginRefresh"]> {
    return this.#latest.beginRefresh();
  }

  /** Reads on, and tells all who wait for the latest. */
  async refresh(): Promise<void> {
    const look = this.#latest.beginRefresh();
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
