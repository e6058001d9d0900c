import type { ServerResponse } from "node:http";

/** Requests that are not answered to the last byte. Whoever closes the door waits for them, and for nobody who is idle. */
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

  none(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onNone = resolve;
    });
  }
}
