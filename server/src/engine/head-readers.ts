import type { JournalError } from "../journal/journal.ts";

interface HeadReader {
  readonly resolve: () => void;
  readonly reject: (error: JournalError) => void;
}

/**
 * Readers that must see whatever was acknowledged anywhere before they asked. All that ask together share one look at the
 * head; who asks while a look is under way waits for the next, since this one may have been too early for it.
 */
export class HeadReaders {
  #readers: HeadReader[] = [];

  get isWaiting(): boolean {
    return this.#readers.length > 0;
  }

  wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#readers.push({ resolve, reject });
    });
  }

  /** A look begins now. What it came to is told to those who have asked until here. */
  beginRefresh(): { done(): void; failed(error: JournalError): void; inVain(): boolean } {
    const readers = this.#readers;
    this.#readers = [];
    return {
      done: () => {
        for (const { resolve } of readers) resolve();
      },
      failed: (error) => {
        for (const { reject } of readers) reject(error);
      },
      // It said nothing about the head. True if somebody still waits.
      inVain: () => {
        this.#readers = [...readers, ...this.#readers];
        return this.#readers.length > 0;
      },
    };
  }
}
