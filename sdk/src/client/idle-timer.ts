import type { ClientClock } from "./client-clock.ts";

/** A timer that lets a process end, until somebody waits for what it brings. */
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

  /** Somebody waits now: the process must not end before it rings. */
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
