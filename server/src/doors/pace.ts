import type { Clock } from "../base/clock.ts";

/** Each frame costs about as much as ten events in it, so all who watch together get at most 10,000 frames a second. */
const msPerWatcher = 0.1;

/**
 * Wakes all who wait for it at the same moment, at most once in a while. Without it a busy journal would be read, and a
 * frame sent, for each batch and each watcher: most of the time would go into frames with one event. The more there are who
 * watch, the rarer the moments: their number would make the server busy otherwise, whatever happens.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #everyMs: number;
  #next: Promise<void> | undefined;
  #waiterCount = 0;
  /** How many the last moment woke. */
  #wokenCount = 0;

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  /** The next moment. */
  wait(): Promise<void> {
    this.#waiterCount += 1;
    this.#next ??= new Promise((resolve) => {
      this.#clock.after(
        Math.max(this.#everyMs, msPerWatcher * this.#wokenCount),
        () => {
          this.#next = undefined;
          this.#wokenCount = this.#waiterCount;
          this.#waiterCount = 0;
          resolve();
        },
        { keepAlive: false },
      );
    });
    return this.#next;
  }
}
