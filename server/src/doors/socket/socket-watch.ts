import { eventsAhead, problemOf } from "@holdfast/sdk/contract";
import type { WatchFilter } from "@holdfast/sdk/contract";
import { HoldfastError } from "@holdfast/sdk";
import type { Transport, WatchedEvent } from "@holdfast/sdk";
import { pageText } from "./event-text.ts";
import type { Outbox } from "./outbox.ts";
import type { Pace } from "../pace.ts";

export interface WatchPlace {
  readonly transport: Transport;
  readonly outbox: Outbox;
  readonly pace: Pace;
  readonly onEnd: (watch: SocketWatch) => void;
}

/**
 * One watch of one socket. It takes events from the journal only as fast as the client wants them and the network takes
 * them; what waits, waits in the journal.
 */
export class SocketWatch {
  readonly id: number;
  readonly #place: WatchPlace;
  readonly #pages: AsyncIterableIterator<readonly WatchedEvent[]>;
  readonly #isPaced: boolean;
  #ahead = eventsAhead;
  #wake: (() => void) | undefined;
  #isStopped = false;

  constructor(id: number, filter: WatchFilter & { readonly after?: string }, place: WatchPlace) {
    this.id = id;
    this.#place = place;
    // What concerns one owner is little and urgent: somebody waits for a grant.
    this.#isPaced = filter.owner === undefined;
    this.#pages = place.transport.watch(filter);
    void this.#pump();
  }

  /** The client has taken so many messages. */
  more(count: number): void {
    this.#ahead = Math.min(eventsAhead, this.#ahead + count);
    this.wake();
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    void this.#pages.return?.();
    this.wake();
  }

  async #pump(): Promise<void> {
    const { outbox, pace, onEnd } = this.#place;
    let problem: object = {};
    try {
      for (;;) {
        while (this.#isFull()) await this.#woken();
        const page = await this.#pages.next();
        if (page.done === true || this.#isStopped) break;
        this.#ahead -= 1;
        outbox.push(`{"kind":"events","id":${this.id},"events":${pageText(page.value)}}`);
        if (this.#isPaced) await pace.wait();
      }
    } catch (error) {
      problem = { problem: problemFrom(error) };
    }
    if (!this.#isStopped) outbox.push(JSON.stringify({ kind: "ended", id: this.id, ...problem }));
    this.#isStopped = true;
    onEnd(this);
  }

  #isFull(): boolean {
    return !this.#isStopped && (this.#ahead <= 0 || this.#place.outbox.isFull);
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

function problemFrom(error: unknown): { readonly code: string; readonly data: unknown } {
  if (error instanceof HoldfastError) return { code: error.code, data: error.data };
  return { code: "internal_error", data: { reason: problemOf("internal_error").title } };
}
