/** Somebody who follows the events through everything that happens, by the connection that resumes. */
import type { Client, JournalItem, WatchedEvent } from "holdfast";
import { broken } from "./history-call.ts";

export class Watcher {
  readonly #name: string;
  readonly #told: WatchedEvent[] = [];
  #wake: () => void = () => undefined;
  #failure: Error | undefined;

  /** It is to miss nothing that comes after the cursor. */
  constructor(name: string, client: Client, after: string) {
    this.#name = name;
    void this.#follow(client.watch({ after }));
  }

  /** Compares what it was told with the journal, once it has been told up to its end: all of it, in order, once. */
  async check(journal: readonly JournalItem[]): Promise<number> {
    const expected = journal.flatMap(({ position, events }) =>
      events.map(({ name, subject }) => `${position} ${name} ${subject}`),
    );
    while (this.#told.length < expected.length && this.#failure === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure;
    const told = this.#told.map(({ position, name, subject }) => `${position} ${name} ${subject}`);
    const wrong = expected.findIndex((line, index) => told[index] !== line);
    if (wrong !== -1) {
      const around = (lines: readonly string[]): readonly string[] => lines.slice(Math.max(0, wrong - 4), wrong + 4);
      broken("a watch has no gap and no repeat", { by: this.#name, told: around(told), expected: around(expected) });
    }
    return expected.length;
  }

  async #follow(events: AsyncIterable<WatchedEvent>): Promise<void> {
    try {
      for await (const event of events) {
        this.#told.push(event);
        this.#wake();
      }
    } catch (error) {
      this.#failure = new Error(`the watch over ${this.#name} ended`, { cause: error });
      this.#wake();
    }
  }
}
