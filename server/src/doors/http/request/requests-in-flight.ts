import type { ServerResponse } from "node:http";

/** Requests that are not completely answered. A closing door waits for them, and not for idle connections. */
export class RequestsInFlight {
  #count = 0;
  #onNone: (() => void) | undefined;

  add(response: ServerResponse): void {
    this.#count++;
    response.once("close", () => {
      this.#count--;
      if (this.#count === 0) this.#onNone?.();
    });
  }

  drained(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onNone = resolve;
    });
  }
}
