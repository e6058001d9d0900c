import type { Clock } from "../base/clock.ts";

/**
 * Interval per watch. A frame costs about as much as ten events in it, so all watches together get at most 10,000
 * frames a second.
 */
const msPerWatcher = 0.1;

/**
 * Wakes all waiting watches at the same moment, at a minimum interval. Without it every batch would cost a read and a
 * frame per watch, most of them with one event. The interval grows with the number of watches.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #everyMs: number;
  #next: Promise<void> | undefined;
  #waiterCount = 0;
  /** Number of watches that the last moment woke. */
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
