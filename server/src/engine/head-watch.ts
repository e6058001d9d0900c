import { JournalError } from "../journal/journal.ts";
import { HeadReaders } from "./head-readers.ts";
import { Signal } from "./signal.ts";

/**
 * Decides when this node has to read the journal's head. There are three reasons, and one refresh serves them all:
 * - Another node may have appended.
 * - The engine must not decide before it has read the journal.
 * - Readers must see every entry that was acknowledged before their request.
 */
export class HeadWatch {
  /** Fires when a refresh is useful. */
  readonly hints = new Signal();
  readonly #follow: () => Promise<void>;
  readonly #readers = new HeadReaders();
  #isRefreshRequired = false;
  #isHinted = false;

  constructor(follow: () => Promise<void>) {
    this.#follow = follow;
  }

  /** Records that another node may have appended. */
  hint(): void {
    this.#isHinted = true;
    this.hints.fire();
  }

  /** Prevents decisions before the next refresh. */
  requireRefresh(): void {
    this.#isRefreshRequired = true;
  }

  get isRefreshRequired(): boolean {
    return this.#isRefreshRequired;
  }

  get isHinted(): boolean {
    return this.#isHinted;
  }

  /** True if readers wait for a refresh. */
  get hasReaders(): boolean {
    return this.#readers.isWaiting;
  }

  get isRefreshDue(): boolean {
    return this.#isRefreshRequired || this.#isHinted || this.#readers.isWaiting;
  }

  /** Resolves after the next refresh that starts after this call. */
  waitForRefresh(): Promise<void> {
    const refreshed = this.#readers.wait();
    this.hints.fire();
    return refreshed;
  }

  /** Starts an operation that reads the head as a refresh does, such as an append. */
  beginRefresh(): ReturnType<HeadReaders["beginRefresh"]> {
    return this.#readers.beginRefresh();
  }

  /** Reads the journal up to its head and notifies the readers that wait. */
  async refresh(): Promise<void> {
    const refresh = this.#readers.beginRefresh();
    this.#isRefreshRequired = false;
    this.#isHinted = false;
    try {
      await this.#follow();
      refresh.done();
    } catch (error) {
      this.#isRefreshRequired = true;
      // Any other error stops this node, and the stop rejects the readers.
      if (error instanceof JournalError) refresh.failed(error);
      else refresh.skipped();
      throw error;
    }
  }
}
