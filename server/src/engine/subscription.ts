import type { Head } from "../journal/journal.ts";
import type { Entry } from "../machine/entry.ts";
import { engineLimits } from "./limits.ts";
import type { Replica } from "./replica.ts";
import type { Signal } from "./signal.ts";

const page = { entries: engineLimits.pageEntriesMax, bytes: engineLimits.pageBytesMax };

/** The journal does not hold the history that a subscriber read. The subscriber must read the state again. */
export class HistoryLostError extends Error {
  override readonly name = "HistoryLostError";
}

/**
 * The entries after a position, in pages, without gaps or duplicates: first the existing ones, then each one as it becomes
 * durable. The subscriber pulls, so a slow subscriber only costs its own reads from disk. There is no buffer that could
 * overflow.
 */
export class Subscription implements AsyncIterableIterator<readonly Entry[]> {
  readonly #source: { readonly replica: Replica; readonly moved: Signal };
  readonly #onEnd: () => void;
  #position: number;
  #end: { readonly error: Error | undefined } | undefined;
  #stopWaiting: (() => void) | undefined;
  /** The head at the last read. */
  #seen: Head | undefined;

  constructor(source: { replica: Replica; moved: Signal }, after: number, onEnd: () => void) {
    this.#source = source;
    this.#position = after;
    this.#onEnd = onEnd;
  }

  /** The position of the last delivered entry. */
  get position(): number {
    return this.#position;
  }

  /** True once the subscription delivers no more entries. */
  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<readonly Entry[]>> {
    for (;;) {
      if (this.#end !== undefined) return this.#finish(this.#end);
      const entries = await this.#read();
      const last = entries.at(-1);
      if (last === undefined) await this.#moved();
      // The subscription may have ended during the read. Its entries are not delivered then.
      else if (!this.hasEnded) {
        this.#position = last.position;
        return { done: false, value: entries };
      }
    }
  }

  return(): Promise<IteratorResult<readonly Entry[]>> {
    this.end(undefined);
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Ends the subscription, and resolves or rejects a waiting `next`. */
  end(error: Error | undefined): void {
    this.#end ??= { error };
    this.#stopWaiting?.();
    this.#onEnd();
  }

  #finish(end: { readonly error: Error | undefined }): IteratorResult<readonly Entry[]> {
    const { error } = end;
    this.#end = { error: undefined };
    if (error !== undefined) throw error;
    return { done: true, value: undefined };
  }

  async #read(): Promise<readonly Entry[]> {
    const { replica } = this.#source;
    this.#seen = replica.head;
    const head = this.#seen.position;
    if (this.#position >= head) return [];
    const recent = replica.recent.after(this.#position, page.entries);
    if (recent !== undefined) return recent;
    const read = await replica.read(this.#position, page);
    // The journal may be ahead of the folded state. A subscriber must find the effect of a delivered event in the state.
    return read.filter((entry) => entry.position <= head);
  }

  #moved(): Promise<void> {
    // Only a new head is a reason to read again. If the journal was rolled back and this node has not detected it, a
    // read returns nothing although the head is ahead. An immediate retry would loop forever.
    if (this.#end !== undefined || this.#source.replica.head !== this.#seen) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.#source.moved.onNext(resolve);
      this.#stopWaiting = () => {
        stop();
        resolve();
      };
    });
  }
}
