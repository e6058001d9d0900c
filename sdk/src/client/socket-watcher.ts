import { eventsAhead } from "../contract/socket-protocol.ts";
import type { ClientMessage, SocketProblem } from "../contract/socket-protocol.ts";
import type { WatchFilter } from "../contract/watch-filter.ts";
import { HoldfastError } from "./holdfast-error.ts";
import type { WatchedEvent } from "./transport.ts";

type Page = readonly WatchedEvent[];
type Result = IteratorResult<Page, undefined>;

export interface WatcherPlace {
  /** Sends a message about this watch, if there is a connection. */
  readonly tell: (message: ClientMessage) => void;
  readonly onEnd: (id: number) => void;
}

/** A watch over a socket. It outlives connections: each goes on after the last page that was received. */
export class SocketWatcher implements AsyncIterableIterator<Page> {
  readonly id: number;
  readonly #filter: WatchFilter;
  readonly #place: WatcherPlace;
  readonly #pages: Page[] = [];
  readonly #waiting: { resolve: (result: Result) => void; reject: (error: Error) => void }[] = [];
  /** Where the next connection goes on. */
  #cursor: string | undefined;
  /** Pages that were taken since the server was told. */
  #takenCount = 0;
  #end: { readonly error?: Error } | undefined;

  constructor(id: number, { after, ...filter }: WatchFilter & { readonly after?: string }, place: WatcherPlace) {
    this.id = id;
    this.#filter = filter;
    this.#cursor = after;
    this.#place = place;
  }

  get message(): ClientMessage {
    const after = this.#cursor === undefined ? {} : { after: this.#cursor };
    return { kind: "watch", id: this.id, ...this.#filter, ...after };
  }

  /** A new connection begins: pages that came over the old one do not count on it. */
  renew(): void {
    this.#takenCount = -this.#pages.length;
  }

  started(cursor: string): void {
    this.#cursor ??= cursor;
  }

  add(page: Page): void {
    // A page holds whole entries, so that its last cursor is one after which nothing of it is missing.
    this.#cursor = page.at(-1)?.cursor ?? this.#cursor;
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
    else this.finish(new HoldfastError("watch", problem.code, { data: problem.data, position: 0, replayed: false }));
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

  next(): Promise<Result> {
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

  return(): Promise<Result> {
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
