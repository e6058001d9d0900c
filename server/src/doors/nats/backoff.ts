import { backoffMs } from "@holdfast/sdk/base/backoff-ms";
import type { BackoffBounds } from "@holdfast/sdk/base/backoff-ms";

/** Delays that grow while something keeps failing, and start again once it works. */
export class Backoff {
  readonly #bounds: BackoffBounds;
  #attempts = 0;

  constructor(bounds: BackoffBounds) {
    this.#bounds = bounds;
  }

  next(): number {
    this.#attempts += 1;
    return backoffMs(this.#bounds, this.#attempts);
  }

  reset(): void {
    this.#attempts = 0;
  }
}
