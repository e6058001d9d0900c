import { untilAborted } from "../../../base/until-aborted.ts";

/**
 * Serialises requests for a set of paths with its release. To the server a whole client is one owner, so a request for
 * a held set gets the same fence. A release in flight would then free the lock that the reply just granted. Requests
 * may run concurrently; a release runs alone.
 */
export class PathSetMutex {
  readonly #asked = new Map<string, number>();
  readonly #alone = new Map<string, Promise<void>>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** No request and no release is in flight. */
  get isIdle(): boolean {
    return this.#asked.size + this.#alone.size === 0;
  }

  /** Starts a request. Call the returned function when its reply is held, queued or cleaned up. */
  async question(set: string, signal?: AbortSignal): Promise<() => void> {
    for (;;) {
      const other = this.#alone.get(set);
      if (other === undefined) break;
      await untilAborted(signal, other);
    }
    this.#asked.set(set, (this.#asked.get(set) ?? 0) + 1);
    return () => {
      const count = (this.#asked.get(set) ?? 0) - 1;
      if (count > 0) this.#asked.set(set, count);
      else this.#asked.delete(set);
      this.#wake(set);
    };
  }

  /** Runs a task while no request for the set is in flight; at once, if there is none. */
  async alone<Result>(set: string, work: () => Promise<Result>): Promise<Result> {
    while (this.#asked.has(set) || this.#alone.has(set)) await this.#change(set);
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#alone.set(set, ended);
    try {
      return await work();
    } finally {
      this.#alone.delete(set);
      end();
      this.#wake(set);
    }
  }

  /** Waits until every request in flight has ended. */
  async answered(): Promise<void> {
    for (const set of [...this.#asked.keys()]) await this.alone(set, () => Promise.resolve());
  }

  #change(set: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.set(set, [...(this.#waiting.get(set) ?? []), resolve]);
    });
  }

  #wake(set: string): void {
    const waiting = this.#waiting.get(set);
    if (waiting === undefined) return;
    this.#waiting.delete(set);
    for (const go of waiting) go();
  }
}
