/** A client that follows the events through all faults, over a connection that resumes. */
import type { Client, JournalItem, WatchedEvent } from "holdfast";
import { broken } from "./history-call.ts";

export class Watcher {
  readonly #name: string;
  readonly #received: WatchedEvent[] = [];
  #wake: () => void = () => undefined;
  #failure: Error | undefined;

  /** Follows all events after the cursor. */
  constructor(name: string, client: Client, after: string) {
    this.#name = name;
    void this.#follow(client.watch({ after }));
  }

  /** Waits for the last event of the journal, then compares: every event once, in order. */
  async check(journal: readonly JournalItem[]): Promise<number> {
    const expected = journal.flatMap(({ position, events }) =>
      events.map(({ name, subject }) => `${position} ${name} ${subject}`),
    );
    while (this.#received.length < expected.length && this.#failure === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure;
    const received = this.#received.map(({ position, name, subject }) => `${position} ${name} ${subject}`);
    const wrong = expected.findIndex((line, index) => received[index] !== line);
    if (wrong !== -1) {
      const around = (lines: readonly string[]): readonly string[] => lines.slice(Math.max(0, wrong - 4), wrong + 4);
      broken("a watch has no gap and no repeat", {
        by: this.#name,
        received: around(received),
        expected: around(expected),
      });
    }
    return expected.length;
  }

  async #follow(events: AsyncIterable<WatchedEvent>): Promise<void> {
    try {
      for await (const event of events) {
        this.#received.push(event);
        this.#wake();
      }
    } catch (error) {
      this.#failure = new Error(`the watch over ${this.#name} ended`, { cause: error });
      this.#wake();
    }
  }
}
