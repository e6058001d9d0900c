import { eventsAhead } from "../../contract/socket-protocol.ts";
import type { ClientMessage, SocketProblem } from "../../contract/socket-protocol.ts";
import { HoldfastError } from "../holdfast-error.ts";

/** The messages that start a watch, or resume it after a cursor. */
export type WatchOpening = (id: number, cursor: string | undefined) => ClientMessage;

export interface WatchStart {
  readonly opening: WatchOpening;
  readonly after?: string | undefined;
  /** The server confirmed the start. */
  readonly onWatching?: (() => void) | undefined;
}

interface WatcherConnection {
  /** Sends a message about this watch, if there is a connection. */
  readonly send: (message: ClientMessage) => void;
  readonly onEnd: (id: number) => void;
}

/** A watch as the dispatcher of messages sees it, with pages of any content. */
export type AnyWatcher = Pick<SocketWatcher<never>, "message" | "renew" | "started" | "add" | "ended" | "finish">;

/** A watch over a socket. It outlives connections: each one resumes after the last received page. */
export class SocketWatcher<Item> implements AsyncIterableIterator<readonly Item[]> {
  readonly id: number;
  readonly #opening: WatchOpening;
  readonly #onWatching: (() => void) | undefined;
  readonly #connection: WatcherConnection;
  readonly #pages: (readonly Item[])[] = [];
  readonly #readers: { resolve: (result: PageResult<Item>) => void; reject: (error: Error) => void }[] = [];
  /** The cursor of the next connection. */
  #cursor: string | undefined;
  /** Pages consumed since the last acknowledgement. */
  #consumedCount = 0;
  #end: { readonly error?: Error | undefined } | undefined;

  constructor(id: number, { opening, after, onWatching }: WatchStart, connection: WatcherConnection) {
    this.id = id;
    this.#opening = opening;
    this.#onWatching = onWatching;
    this.#cursor = after;
    this.#connection = connection;
  }

  get message(): ClientMessage {
    return this.#opening(this.id, this.#cursor);
  }

  /** A new connection starts. Pages of the old one do not count on it. */
  renew(): void {
    this.#consumedCount = -this.#pages.length;
  }

  started(cursor: string): void {
    this.#cursor ??= cursor;
    this.#onWatching?.();
  }

  /** `cursor`: nothing up to it is missing. */
  add(page: readonly Item[], cursor?: string): void {
    this.#cursor = cursor ?? this.#cursor;
    const next = this.#readers.shift();
    if (next === undefined) {
      this.#pages.push(page);
      return;
    }
    this.#consumed();
    next.resolve({ done: false, value: page });
  }

  /** Ends the watch, with a reason if there is one. */
  ended(problem?: SocketProblem): void {
    if (problem === undefined) this.finish();
    else this.finish(new HoldfastError("watch", problem.code, { data: problem.data }));
  }

  finish(error?: Error): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    this.#connection.onEnd(this.id);
    const readers = this.#readers.splice(0);
    for (const [index, { resolve, reject }] of readers.entries()) {
      if (error === undefined || index > 0) resolve({ done: true, value: undefined });
      else reject(error);
    }
    if (readers.length > 0) this.#end = {};
  }

  next(): Promise<PageResult<Item>> {
    const page = this.#pages.shift();
    if (page !== undefined) {
      this.#consumed();
      return Promise.resolve({ done: false, value: page });
    }
    if (this.#end !== undefined) {
      const { error } = this.#end;
      this.#end = {};
      return error === undefined ? Promise.resolve({ done: true, value: undefined }) : Promise.reject(error);
    }
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
  }

  return(): Promise<PageResult<Item>> {
    this.#pages.length = 0;
    if (this.#end === undefined) this.#connection.send({ kind: "unwatch", id: this.id });
    this.finish();
    this.#end = {};
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #consumed(): void {
    this.#consumedCount += 1;
    if (this.#consumedCount < eventsAhead / 2 || this.#end !== undefined) return;
    this.#connection.send({ kind: "more", id: this.id, count: this.#consumedCount });
    this.#consumedCount = 0;
  }
}

type PageResult<Item> = IteratorResult<readonly Item[], undefined>;
