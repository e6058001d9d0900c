import type { Clock } from "../../base/clock.ts";

/** Waits a while, or until it is told to stop. */
export function pause(clock: Clock, ms: number, stop: AbortSignal): Promise<void> {
  if (stop.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      stop.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(ms, end, { keepAlive: false });
    stop.addEventListener("abort", end);
  });
}

/** Pauses that grow while something keeps failing, and start anew once it works. */
export class Backoff {
  readonly #bounds: { readonly least: number; readonly most: number };
  #next: number;

  constructor(bounds: { readonly least: number; readonly most: number }) {
    this.#bounds = bounds;
    this.#next = bounds.least;
  }

  next(): number {
    const ms = this.#next;
    this.#next = Math.min(this.#bounds.most, 2 * ms);
    return ms;
  }

  reset(): void {
    this.#next = this.#bounds.least;
  }
}
