import { noticeKey } from "@holdfast/sdk/contract";
import type { Notice } from "@holdfast/sdk/contract";

type Notices = readonly Notice[];
type Result = IteratorResult<Notices, undefined>;

/**
 * The pending notices of one listener. Only the newest notice per word and key is kept. A slow listener gets the
 * current state, and never more than its owner has tickets, leases and other subjects of notices.
 */
export class NoticeBox implements AsyncIterableIterator<Notices> {
  readonly #onEnd: () => void;
  #notices = new Map<string, Notice>();
  #waiting: ((result: Result) => void)[] = [];
  #isOver = false;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  add(notice: Notice): void {
    if (this.#isOver) return;
    this.#notices.set(noticeKey(notice), notice);
    const next = this.#waiting.shift();
    if (next !== undefined) next(this.#take());
  }

  /** Ends the notices: this node is stopping, or folds its history again. The listener may start again. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#notices.clear();
    for (const next of this.#waiting.splice(0)) next({ done: true, value: undefined });
    this.#onEnd();
  }

  next(): Promise<Result> {
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    if (this.#notices.size > 0) return Promise.resolve(this.#take());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return(): Promise<Result> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): Result {
    const value = [...this.#notices.values()];
    this.#notices = new Map();
    return { done: false, value };
  }
}
