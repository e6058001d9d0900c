import type { ClientMessage, Notice, SocketProblem } from "@holdfast/sdk/contract";
import type { Calls } from "../../operations/call.ts";
import type { Pace } from "../pace.ts";
import { eventTextMessage } from "./event-text.ts";
import type { SocketLimits } from "./limits.ts";
import type { Outbox } from "./outbox.ts";
import { SocketWatch } from "./socket-watch.ts";
import type { WatchSource } from "./socket-watch.ts";

interface WatchesOptions {
  readonly outbox: Outbox;
  readonly pace: Pace;
  readonly limits: Pick<SocketLimits, "watchesMax" | "ownerWatchesMax">;
}

type WatchMessage = Extract<ClientMessage, { kind: "watch" }>;

/** The watches and listeners of one socket. They share their ids. Those of single owners have a limit of their own. */
export class Watches {
  readonly #options: WatchesOptions;
  readonly #watches = new Map<number, Pick<SocketWatch<never>, "more" | "wake" | "stop">>();
  /** The watches of single owners. */
  readonly #owned = new Set<number>();

  constructor(options: WatchesOptions) {
    this.#options = options;
  }

  /** The reason to refuse a watch; undefined if it may start. */
  refusalOf({ id, owner }: { readonly id: number; readonly owner?: string }): SocketProblem | undefined {
    const { watchesMax, ownerWatchesMax } = this.#options.limits;
    if (this.#watches.has(id)) return { code: "frame_malformed", data: { reason: `the id ${id} is already in use` } };
    const count = owner === undefined ? this.#watches.size - this.#owned.size : this.#owned.size;
    const limit = owner === undefined ? watchesMax : ownerWatchesMax;
    return count >= limit ? { code: "watch_limit", data: { limit } } : undefined;
  }

  watch(calls: Calls, message: WatchMessage, after: string): void {
    const { kind: _kind, id, ...filter } = message;
    this.#options.outbox.push(JSON.stringify({ kind: "watching", id, cursor: after }));
    // Events of one owner are few and urgent: a client waits for a grant.
    const isPaced = filter.owner === undefined;
    if (!isPaced) this.#owned.add(id);
    this.#add(id, { pages: calls.watch({ ...filter, after }), message: eventTextMessage, isPaced });
  }

  listen(calls: Calls, { id, owner }: Extract<ClientMessage, { kind: "listen" }>): void {
    this.#owned.add(id);
    this.#add(id, { pages: calls.notices({ owner }), message: noticesMessage, isPaced: false });
  }

  more(id: number, count: number): void {
    this.#watches.get(id)?.more(count);
  }

  end(id: number): void {
    this.#watches.get(id)?.stop();
  }

  /** Resumes the watches that wait for capacity. */
  wake(): void {
    for (const watch of this.#watches.values()) watch.wake();
  }

  stop(): void {
    for (const watch of this.#watches.values()) watch.stop();
  }

  #add<Item>(id: number, source: WatchSource<Item>): void {
    const { outbox, pace } = this.#options;
    const onEnd = (ended: number): void => {
      this.#watches.delete(ended);
      this.#owned.delete(ended);
    };
    this.#watches.set(id, new SocketWatch(id, source, { outbox, pace, onEnd }));
  }
}

function noticesMessage(id: number, notices: readonly Notice[]): string {
  return `{"kind":"notices","id":${id},"notices":${JSON.stringify(notices)}}`;
}
