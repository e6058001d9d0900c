import type { Clock } from "../base/clock.ts";

/**
 * Wakes all who wait for it at the same moment, at most once in a while. Without it a busy journal would be read, and a
 * frame sent, for each batch and each watcher: most of the time would go into frames with one event.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #everyMs: number;
  #next: Promise<void> | undefined;

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  /** The next moment. */
  wait(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      this.#clock.after(
        this.#everyMs,
        () => {
          this.#next = undefined;
          resolve();
        },
        { keepAlive: false },
      );
    });
    return this.#next;
  }
}
