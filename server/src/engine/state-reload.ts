import type { JournalError } from "../journal/journal.ts";

/**
 * The state is being folded again, and reads wait for it. If this node stops before it is done they are told so: what is
 * folded by then is the state of a moment that nobody asked for.
 */
export class StateReload {
  readonly #outcome = Promise.withResolvers<undefined>();

  constructor() {
    // Perhaps nobody waits; that is no reason for the process to end.
    this.#outcome.promise.catch(() => undefined);
  }

  /** Resolves when the state is whole. */
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
