import type { Clock } from "../../base/clock.ts";

/** The next tick, the same for all who ask meanwhile: what they do then, they do together. Nobody asks, no timer runs. */
export class NextTick {
  readonly #clock: Clock;
  readonly #everyMs: number;
  #next: Promise<void> | undefined;

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  next(): Promise<void> {
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
