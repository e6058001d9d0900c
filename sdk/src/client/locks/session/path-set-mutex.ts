import { untilAborted } from "../../../base/until-aborted.ts";

/**
 * Serialises requests for a set of paths with its release. To the server a whole client is one owner, so a request for
 * a held set gets the same fence. A release in flight would then free the lock that the reply just granted. Requests
 * may run concurrently; a release runs alone.
 */
export class PathSetMutex {
  readonly #requests = new Map<string, number>();
  readonly #exclusive = new Map<string, Promise<void>>();
  readonly #waiters = new Map<string, (() => void)[]>();

  /** No request and no release is in flight. */
  get isIdle(): boolean {
    return this.#requests.size + this.#exclusive.size === 0;
  }

  /** Starts a request. Call the returned function when its reply is held, queued or cleaned up. */
  async enter(set: string, signal?: AbortSignal): Promise<() => void> {
    for (;;) {
      const running = this.#exclusive.get(set);
      if (running === undefined) break;
      await untilAborted(signal, running);
    }
    this.#requests.set(set, (this.#requests.get(set) ?? 0) + 1);
    return () => {
      const count = (this.#requests.get(set) ?? 0) - 1;
      if (count > 0) this.#requests.set(set, count);
      else this.#requests.delete(set);
      this.#wake(set);
    };
  }

  /** Runs a task while no request for the set is in flight; at once, if there is none. */
  async runExclusive<Result>(set: string, work: () => Promise<Result>): Promise<Result> {
    while (this.#requests.has(set) || this.#exclusive.has(set)) await this.#nextChange(set);
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#exclusive.set(set, ended);
    try {
      return await work();
    } finally {
      this.#exclusive.delete(set);
      end();
      this.#wake(set);
    }
  }

  /** Waits until every request in flight has ended. */
  async drained(): Promise<void> {
    for (const set of [...this.#requests.keys()]) await this.runExclusive(set, () => Promise.resolve());
  }

  #nextChange(set: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.set(set, [...(this.#waiters.get(set) ?? []), resolve]);
    });
  }

  #wake(set: string): void {
    const waiters = this.#waiters.get(set);
    if (waiters === undefined) return;
    this.#waiters.delete(set);
    for (const wake of waiters) wake();
  }
}
