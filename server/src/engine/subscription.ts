import type { Head } from "../journal/journal.ts";
import type { Entry } from "../machine/entry.ts";
import { engineLimits } from "./limits.ts";
import type { Replica } from "./replica.ts";
import type { Signal } from "./signal.ts";

const page = { entries: engineLimits.pageEntriesMax, bytes: engineLimits.pageBytesMax };

/** The history that a subscriber was reading is gone; it must read the state again. */
export class HistoryLostError extends Error {
  override readonly name = "HistoryLostError";
}

/**
 * Entries from a position on, in pages, without gap or repeat: first those that are there, then each as it becomes
 * durable. The subscriber pulls, so a slow one costs nothing but its own reading from disk; it has no buffer that
 * could fill up.
 */
export class Subscription implements AsyncIterableIterator<readonly Entry[]> {
  readonly #source: { readonly replica: Replica; readonly moved: Signal };
  readonly #onEnd: () => void;
  #position: number;
  #end: { readonly error: Error | undefined } | undefined;
  #stopWaiting: (() => void) | undefined;
  /** The head at the last look. */
  #seen: Head | undefined;

  constructor(source: { replica: Replica; moved: Signal }, after: number, onEnd: () => void) {
    this.#source = source;
    this.#position = after;
    this.#onEnd = onEnd;
  }

  /** The position of the last entry that was handed out. */
  get position(): number {
    return this.#position;
  }

  /** True once nothing more is handed out, whatever was read before. */
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
      // The end may have come while the journal was read; what was read then is not handed out.
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

  /** Ends it, now and for whoever waits in `next`. */
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
    // The journal may be ahead of what is folded here; a reader must find in the state what an event told it.
    return read.filter((entry) => entry.position <= head);
  }

  #moved(): Promise<void> {
    // Only a move since the last look is a reason to look again: if the journal went back and this node does not know
    // it yet, there is nothing to read, however far the head seems to be, and looking again at once would never end.
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
