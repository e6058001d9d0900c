import type { JournalError } from "../journal/journal.ts";

interface HeadReader {
  readonly resolve: () => void;
  readonly reject: (error: JournalError) => void;
}

/**
 * Readers that must see every entry that any node acknowledged before their request. Concurrent readers share one refresh of
 * the head. A reader that arrives during a refresh waits for the next one, because the running one may have started before
 * the acknowledgement.
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

  /** Starts a refresh. Its result settles the readers that wait at this moment. */
  beginRefresh(): { done(): void; failed(error: JournalError): void; skipped(): boolean } {
    const readers = this.#readers;
    this.#readers = [];
    return {
      done: () => {
        for (const { resolve } of readers) resolve();
      },
      failed: (error) => {
        for (const { reject } of readers) reject(error);
      },
      // The operation did not read the head. The readers wait again. Returns true if there are any.
      skipped: () => {
        this.#readers = [...readers, ...this.#readers];
        return this.#readers.length > 0;
      },
    };
  }
}
