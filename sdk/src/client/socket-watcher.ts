import { eventsAhead } from "../contract/socket-protocol.ts";
import type { ClientMessage, SocketProblem } from "../contract/socket-protocol.ts";
import { HoldfastError } from "./holdfast-error.ts";

/** The messages that start a watch, or resume it after a cursor. */
export type WatchOpening = (id: number, cursor: string | undefined) => ClientMessage;

export interface WatchStart {
  readonly wish: WatchOpening;
  readonly after?: string;
  /** The server confirmed the start. */
  readonly onWatching?: () => void;
}

interface WatcherPlace {
  /** Sends a message about this watch, if there is a connection. */
  readonly tell: (message: ClientMessage) => void;
  readonly onEnd: (id: number) => void;
}

/** A watch as the dispatcher of messages sees it, with pages of any content. */
export type Watching = Pick<SocketWatcher<never>, "message" | "renew" | "started" | "add" | "ended" | "finish">;

/** A watch over a socket. It outlives connections: each one resumes after the last received page. */
export class SocketWatcher<Item> implements AsyncIterableIterator<readonly Item[]> {
  readonly id: number;
  readonly #wish: WatchOpening;
  readonly #onWatching: (() => void) | undefined;
  readonly #place: WatcherPlace;
  readonly #pages: (readonly Item[])[] = [];
  readonly #waiting: { resolve: (result: Result<Item>) => void; reject: (error: Error) => void }[] = [];
  /** The cursor of the next connection. */
  #cursor: string | undefined;
  /** Pages consumed since the last acknowledgement. */
  #takenCount = 0;
  #end: { readonly error?: Error } | undefined;

  constructor(id: number, { wish, after, onWatching }: WatchStart, place: WatcherPlace) {
    this.id = id;
    this.#wish = wish;
    this.#onWatching = onWatching;
    if (after !== undefined) this.#cursor = after;
    this.#place = place;
  }

  get message(): ClientMessage {
    return this.#wish(this.id, this.#cursor);
  }

  /** A new connection starts. Pages of the old one do not count on it. */
  renew(): void {
    this.#takenCount = -this.#pages.length;
  }

  started(cursor: string): void {
    this.#cursor ??= cursor;
    this.#onWatching?.();
  }

  /** `cursor`: nothing up to it is missing. */
  add(page: readonly Item[], cursor?: string): void {
    this.#cursor = cursor ?? this.#cursor;
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#pages.push(page);
      return;
    }
    this.#took();
    next.resolve({ done: false, value: page });
  }

  /** Ends the watch, with a reason if there is one. */
  ended(problem?: SocketProblem): void {
    if (problem === undefined) this.finish();
    else this.finish(new HoldfastError("watch", problem.code, { data: problem.data }));
  }

  finish(error?: Error): void {
    if (this.#end !== undefined) return;
    this.#end = error === undefined ? {} : { error };
    this.#place.onEnd(this.id);
    const waiting = this.#waiting.splice(0);
    for (const [index, { resolve, reject }] of waiting.entries()) {
      if (error === undefined || index > 0) resolve({ done: true, value: undefined });
      else reject(error);
    }
    if (waiting.length > 0) this.#end = {};
  }

  next(): Promise<Result<Item>> {
    const page = this.#pages.shift();
    if (page !== undefined) {
      this.#took();
      return Promise.resolve({ done: false, value: page });
    }
    if (this.#end !== undefined) {
      const { error } = this.#end;
      this.#end = {};
      return error === undefined ? Promise.resolve({ done: true, value: undefined }) : Promise.reject(error);
    }
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  return(): Promise<Result<Item>> {
    this.#pages.length = 0;
    if (this.#end === undefined) this.#place.tell({ kind: "unwatch", id: this.id });
    this.finish();
    this.#end = {};
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #took(): void {
    this.#takenCount += 1;
    if (this.#takenCount < eventsAhead / 2 || this.#end !== undefined) return;
    this.#place.tell({ kind: "more", id: this.id, count: this.#takenCount });
    this.#takenCount = 0;
  }
}

type Result<Item> = IteratorResult<readonly Item[], undefined>;
