import { untilAborted } from "../../../base/until-aborted.ts";

/**
 * Questions for a set of paths, and what gives it back, take turns. To the server a whole client is one owner: a question
 * for what this has already is answered with the same fence, and a release under way would then free what the answer has
 * just given. Questions may be under way together; giving back is done alone.
 */
export class SetTurns {
  readonly #asked = new Map<string, number>();
  readonly #alone = new Map<string, Promise<void>>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Nothing is asked for, and nothing given back. */
  get isIdle(): boolean {
    return this.#asked.size + this.#alone.size === 0;
  }

  /** Begins a question. What it returns ends it: call that once what was answered is held, in line, or left behind. */
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

  /** Does something while nobody asks for the set; at once, if nobody does now. */
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

  /** Waits until every question that is under way has ended. */
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
