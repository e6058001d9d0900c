import { eventsAhead, problemOf } from "@holdfast/sdk/contract";
import { HoldfastError } from "@holdfast/sdk";
import type { Outbox, SharedMessage } from "./outbox.ts";
import type { Pace } from "../pace.ts";

/** The source of the pages of a watch, and their conversion to messages. */
export interface WatchSource<Item> {
  readonly pages: AsyncIterableIterator<readonly Item[]>;
  readonly message: (id: number, page: readonly Item[]) => string | SharedMessage;
  /** Whether consecutive pages share a message. Events of one owner are few and urgent, so they are not delayed. */
  readonly isPaced: boolean;
}

interface WatchOutput {
  readonly outbox: Outbox;
  readonly pace: Pace;
  readonly onEnd: (id: number) => void;
}

/**
 * One watch of one socket. It reads events from the journal only as fast as the client acknowledges and the network
 * accepts them. Pending events stay in the journal.
 */
export class SocketWatch<Item> {
  readonly id: number;
  readonly #output: WatchOutput;
  readonly #source: WatchSource<Item>;
  #credit = eventsAhead;
  #wake: (() => void) | undefined;
  #isStopped = false;

  constructor(id: number, source: WatchSource<Item>, output: WatchOutput) {
    this.id = id;
    this.#source = source;
    this.#output = output;
    void this.#pump();
  }

  /** The client has acknowledged this number of messages. */
  more(count: number): void {
    this.#credit = Math.min(eventsAhead, this.#credit + count);
    this.wake();
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    void this.#source.pages.return?.();
    this.wake();
  }

  async #pump(): Promise<void> {
    const { outbox, pace, onEnd } = this.#output;
    const { pages, message, isPaced } = this.#source;
    let problem: object = {};
    try {
      for (;;) {
        while (this.#isFull()) await this.#woken();
        const page = await pages.next();
        if (page.done === true || this.#isStopped) break;
        this.#credit -= 1;
        outbox.push(message(this.id, page.value));
        if (isPaced) await pace.wait();
      }
    } catch (error) {
      problem = { problem: problemFrom(error) };
    }
    if (!this.#isStopped) outbox.push(JSON.stringify({ kind: "ended", id: this.id, ...problem }));
    this.#isStopped = true;
    onEnd(this.id);
  }

  #isFull(): boolean {
    return !this.#isStopped && (this.#credit <= 0 || this.#output.outbox.isFull);
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
