import type { Notice, NoticeQuery } from "../contract/notices.ts";
import type { ClientMessage, ServerMessage, SocketProblem } from "../contract/socket-protocol.ts";
import { SocketWatcher } from "./socket-watcher.ts";
import type { Watching, WatchStart, WatchOpening } from "./socket-watcher.ts";
import type { WatchedEvent, WatchRequest } from "./transport.ts";

interface WatchersPlace {
  readonly newId: () => number;
  /** Sends a message about a watch, if there is a connection. */
  readonly tell: (message: ClientMessage) => void;
}

type Pages = Extract<ServerMessage, { kind: "events" | "notices" | "watching" | "ended" }>;

/** All watches and listeners of one socket, across its connections. */
export class SocketWatchers {
  readonly #place: WatchersPlace;
  readonly #watchers = new Map<number, Watching>();

  constructor(place: WatchersPlace) {
    this.#place = place;
  }

  get count(): number {
    return this.#watchers.size;
  }

  watch({ after, onWatching, ...filter }: WatchRequest): SocketWatcher<WatchedEvent> {
    const wish: WatchOpening = (id, cursor) => ({
      ...{ kind: "watch", id, ...filter },
      ...(cursor === undefined ? {} : { after: cursor }),
    });
    return this.#follow({
      wish,
      ...(after === undefined ? {} : { after }),
      ...(onWatching === undefined ? {} : { onWatching }),
    });
  }

  listen({ owner }: NoticeQuery): SocketWatcher<Notice> {
    return this.#follow({ wish: (id) => ({ kind: "listen", id, owner }) });
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

  #follow<Item>(wanted: WatchStart): SocketWatcher<Item> {
    const watcher = new SocketWatcher<Item>(this.#place.newId(), wanted, {
      tell: this.#place.tell,
      onEnd: (id) => void this.#watchers.delete(id),
    });
    this.#watchers.set(watcher.id, watcher);
    return watcher;
  }
}
