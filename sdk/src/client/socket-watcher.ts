import { eventsAhead } from "../contract/socket-protocol.ts";
import type { ClientMessage, SocketProblem } from "../contract/socket-protocol.ts";
import { HoldfastError } from "./holdfast-error.ts";

/** What is said to a server to begin, or to go on after a cursor. */
export type WatchWish = (id: number, cursor: string | undefined) => ClientMessage;

export interface WatchStart {
  readonly wish: WatchWish;
  readonly after?: string;
  /** The server says that it has begun. */
  readonly onWatching?: () => void;
}

export interface WatcherPlace {
  /** Sends a message about this watch, if there is a connection. */
  readonly tell: (message: ClientMessage) => void;
  readonly onEnd: (id: number) => void;
}

/** A watch as whoever hands out messages sees it, whatever its pages hold. */
export type Watching = Pick<SocketWatcher<never>, "message" | "renew" | "started" | "add" | "ended" | "finish">;

/** A watch over a socket. It outlives connections: each goes on after the last page that was received. */
export class SocketWatcher<Item> implements AsyncIterableIterator<readonly Item[]> {
  readonly id: number;
  readonly #wish: WatchWish;
  readonly #onWatching: (() => void) | undefined;
  readonly #place: WatcherPlace;
  readonly #pages: (readonly Item[])[] = [];
  readonly #waiting: { resolve: (result: Result<Item>) => void; reject: (error: Error) => void }[] = [];
  /** Where the next connection goes on. */
  #cursor: string | undefined;
  /** Pages that were taken since the server was told. */
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

  /** A new connection begins: pages that came over the old one do not count on it. */
  renew(): void {
    this.#takenCount = -this.#pages.length;
  }

  started(cursor: string): void {
    this.#cursor ??= cursor;
    this.#onWatching?.();
  }

  /** `cursor`: after which nothing of this page is missing. */
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

  /** There is nothing more to come, for the reason given if there is one. */
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
