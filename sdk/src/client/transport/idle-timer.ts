import type { ClientClock } from "../client-clock.ts";

/** A timer that lets the process end, until a caller waits for it. */
export class IdleTimer {
  readonly #clock: ClientClock;
  readonly #dueMs: number;
  readonly #callback: () => void;
  #keepsAlive: boolean;
  #cancel: () => void;

  constructor(
    clock: ClientClock,
    delayMs: number,
    callback: () => void,
    { keepAlive }: { readonly keepAlive: boolean },
  ) {
    this.#clock = clock;
    this.#dueMs = clock.monotonicMs() + delayMs;
    this.#callback = callback;
    this.#keepsAlive = keepAlive;
    this.#cancel = clock.after(delayMs, callback, { keepAlive });
  }

  /** A caller waits: the process must not end before the timer fires. */
  keepAlive(): void {
    if (this.#keepsAlive) return;
    this.#keepsAlive = true;
    this.#cancel();
    const leftMs = Math.max(0, this.#dueMs - this.#clock.monotonicMs());
    this.#cancel = this.#clock.after(leftMs, this.#callback, { keepAlive: true });
  }

  cancel(): void {
    this.#cancel();
  }
}
