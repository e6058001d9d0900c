import { noticeKey } from "@holdfast/sdk/contract";
import type { Notice } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { measure } from "@holdfast/sdk/json/measure";

type Notices = readonly Notice[];
type Result = IteratorResult<Notices, undefined>;

/** The limits of the notices that a listener has not read. */
export const noticeLimits = {
  /** Maximum unread notices of a listener. Beyond it they are dropped, and it gets the current ones when it reads. */
  unreadMax: 10_000,
  /** Maximum bytes of unread notices that are kept whole. Later ones are brief. */
  unreadBytesMax: 1024 * 1024,
} as const;

interface NoticeBoxOptions {
  readonly onEnd: () => void;
  /** A notice with its largest members left out. */
  readonly brief?: (notice: Notice) => Notice;
  /** Adds the current notices of the owner: the listener reads again after notices were dropped. */
  readonly resync?: () => void;
}

/**
 * The pending notices of one listener. Only the newest notice per word and key is kept. A listener that falls too far
 * behind gets the current notices like a new one. So it misses only outdated ones.
 */
export class NoticeBox implements AsyncIterableIterator<Notices> {
  readonly #onEnd: () => void;
  readonly #brief: (notice: Notice) => Notice;
  readonly #resync: () => void;
  #bytesLeft: number = noticeLimits.unreadBytesMax;
  #notices = new Map<string, Notice>();
  #waiting: ((result: Result) => void)[] = [];
  #hasDropped = false;
  #isOver = false;

  constructor({ onEnd, brief = (notice) => notice, resync = () => undefined }: NoticeBoxOptions) {
    this.#onEnd = onEnd;
    this.#brief = brief;
    this.#resync = resync;
  }

  /** Adds notices, which share a page if the listener waits. */
  add(notices: Notices): void {
    if (this.#isOver || this.#hasDropped || notices.length === 0) return;
    for (const notice of notices) this.#notices.set(noticeKey(notice), this.#fitting(notice));
    const next = this.#waiting.shift();
    if (next !== undefined) next(this.#take());
    else if (this.#notices.size > noticeLimits.unreadMax) this.#drop();
  }

  #drop(): void {
    this.#take();
    this.#hasDropped = true;
  }

  #fitting(notice: Notice): Notice {
    const limits = { bytesMax: this.#bytesLeft, depthMax: Infinity, membersMax: Infinity };
    const measured = measure(notice as unknown as JsonObject, limits);
    if (!measured.ok) return this.#brief(notice);
    this.#bytesLeft -= measured.size.bytes;
    return notice;
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
    const result = new Promise<Result>((resolve) => this.#waiting.push(resolve));
    if (this.#hasDropped) {
      this.#hasDropped = false;
      this.#resync();
    }
    return result;
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
    this.#bytesLeft = noticeLimits.unreadBytesMax;
    return { done: false, value };
  }
}
