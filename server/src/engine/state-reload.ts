import type { JournalError } from "../journal/journal.ts";

/**
 * A reload of the state. Reads wait for it. If the node stops before the reload is complete, the reads fail, because the
 * partly folded state belongs to an arbitrary position.
 */
export class StateReload {
  readonly #outcome = Promise.withResolvers<undefined>();

  constructor() {
    // If no read waits, an unhandled rejection would end the process.
    this.#outcome.promise.catch(() => undefined);
  }

  /** Resolves when the state is complete. */
  get done(): Promise<undefined> {
    return this.#outcome.promise;
  }

  finish(): void {
    this.#outcome.resolve(undefined);
  }

  fail(error: JournalError): void {
    this.#outcome.reject(error);
  }
}
