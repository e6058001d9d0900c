import type { Notice, NoticeQuery } from "../../contract/notices.ts";
import type { ClientMessage, ServerMessage, SocketProblem } from "../../contract/socket-protocol.ts";
import { defined } from "../../base/defined.ts";
import { SocketWatcher } from "./socket-watcher.ts";
import type { AnyWatcher, WatchStart, WatchOpening } from "./socket-watcher.ts";
import type { WatchedEvent, WatchRequest } from "./transport.ts";

interface WatchersConnection {
  readonly newId: () => number;
  /** Sends a message about a watch, if there is a connection. */
  readonly send: (message: ClientMessage) => void;
}

type Pages = Extract<ServerMessage, { kind: "events" | "notices" | "watching" | "ended" }>;

/** All watches and listeners of one socket, across its connections. */
export class SocketWatchers {
  readonly #connection: WatchersConnection;
  readonly #watchers = new Map<number, AnyWatcher>();

  constructor(connection: WatchersConnection) {
    this.#connection = connection;
  }

  get count(): number {
    return this.#watchers.size;
  }

  watch({ after, onWatching, ...filter }: WatchRequest): SocketWatcher<WatchedEvent> {
    const opening: WatchOpening = (id, cursor) => defined({ kind: "watch" as const, id, ...filter, after: cursor });
    return this.#start({ opening, after, onWatching });
  }

  listen({ owner }: NoticeQuery): SocketWatcher<Notice> {
    return this.#start({ opening: (id) => ({ kind: "listen", id, owner }) });
  }

  /** The messages for a new connection. */
  renewed(): readonly ClientMessage[] {
    return [...this.#watchers.values()].map((watcher) => {
      watcher.renew();
      return watcher.message;
    });
  }

  take(message: Pages): void {
    const watcher = this.#watchers.get(message.id);
    switch (message.kind) {
      case "events":
        // A page has whole entries, so nothing up to its last cursor is missing.
        watcher?.add(message.events as never, (message.events.at(-1) as WatchedEvent).cursor);
        return;
      case "notices":
        watcher?.add(message.notices as never);
        return;
      case "watching":
        watcher?.started(message.cursor);
        return;
      case "ended":
        watcher?.ended(message.problem);
    }
  }

  refused(id: number, problem: SocketProblem): void {
    this.#watchers.get(id)?.ended(problem);
  }

  /** Ends all of them, with a reason if there is one. */
  endAll(problem?: SocketProblem): void {
    for (const watcher of this.#watchers.values()) watcher.ended(problem);
  }

  #start<Item>(start: WatchStart): SocketWatcher<Item> {
    const watcher = new SocketWatcher<Item>(this.#connection.newId(), start, {
      send: this.#connection.send,
      onEnd: (id) => void this.#watchers.delete(id),
    });
    this.#watchers.set(watcher.id, watcher);
    return watcher;
  }
}
