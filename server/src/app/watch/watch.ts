import { isWanted } from "@holdfast/sdk/contract";
import type { WatchFilter } from "@holdfast/sdk/contract";
import { HoldfastError } from "@holdfast/sdk";
import type { WatchedEvent, WatchRequest } from "@holdfast/sdk";
import type { Engine } from "../../engine/engine.ts";
import { HistoryLostError } from "../../engine/subscription.ts";
import { isInHistory } from "../../features/space/space-table.ts";
import { pageEvents } from "./entry-events.ts";
import { unreadable } from "../calls/journal-refusal.ts";
import { OwnerWatch } from "./owner-watch.ts";
import type { WatchServices } from "./owner-watch.ts";

type Events = readonly WatchedEvent[];

/** The source of pages of events: all events, or those of one owner. */
interface Source {
  next(): Promise<Events | undefined>;
  stop(): void;
  /** True if the history is lost, or the watch was stopped. */
  readonly hasEnded: boolean;
}

/** Pages of events after a cursor. Without one it starts with events after this call. */
export function watch(services: WatchServices, options: WatchRequest): AsyncIterableIterator<Events> {
  const { engine } = services;
  const { after, onWatching, ...filter } = options;
  const now = engine.head.position;
  let source: Source | undefined;
  let isStopped = false;
  return {
    async next() {
      if (source === undefined) {
        source = sourceOf(services, filter, after === undefined ? now : await positionOf(engine, after));
        onWatching?.();
      }
      if (isStopped) source.stop();
      try {
        for (;;) {
          const events = await source.next();
          if (events === undefined) return { done: true, value: undefined };
          // The history may have been lost during the read. The next iteration reports it.
          if (source.hasEnded) continue;
          return { done: false, value: events };
        }
      } catch (error) {
        if (error instanceof HistoryLostError) throw lost(engine, after ?? "");
        throw unreadableAtHead(engine, error);
      }
    },
    async return() {
      isStopped = true;
      source?.stop();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function sourceOf(services: WatchServices, filter: WatchFilter, after: number): Source {
  const { owner } = filter;
  return owner === undefined
    ? allEvents(services.engine, filter, after)
    : new OwnerWatch(services, { ...filter, owner }, after);
}

function allEvents(engine: Engine, filter: WatchFilter, after: number): Source {
  const subscription = engine.subscribe(after);
  const { names, subject } = filter;
  const wantsAll = names === undefined && subject === undefined;
  return {
    get hasEnded() {
      return subscription.hasEnded;
    },
    stop: () => void subscription.return(),
    async next() {
      for (;;) {
        const page = await subscription.next();
        if (page.done === true) return undefined;
        const events = await engine.read((state) => pageEvents(state, page.value));
        const selected = wantsAll ? events : events.filter((event) => isWanted(event, filter));
        // An entry may have no event, such as a refusal that was recorded for its key.
        if (selected.length > 0 || subscription.hasEnded) return selected;
      }
    },
  };
}

async function positionOf(engine: Engine, cursor: string): Promise<number> {
  const match = /^([1-9][0-9]{0,14})\.(0|[1-9][0-9]{0,14})$/u.exec(cursor);
  if (match === null) throw refused(engine, "cursor_invalid", cursor);
  const token = { epoch: Number(match[1]), position: Number(match[2]) };
  try {
    if (await isFolded(engine, token)) return token.position;
    // The cursor may come from a node that is ahead of this one.
    await engine.catchUp();
    if (await isFolded(engine, token)) return token.position;
  } catch (error) {
    throw unreadableAtHead(engine, error);
  }
  throw lost(engine, cursor);
}

async function isFolded(engine: Engine, token: { readonly epoch: number; readonly position: number }) {
  return (await engine.read((state) => isInHistory(state, token))) && token.position <= engine.head.position;
}

function unreadableAtHead(engine: Engine, error: unknown): HoldfastError {
  return unreadable(error, { operation: "watch", position: engine.head.position });
}

function lost(engine: Engine, cursor: string): HoldfastError {
  return refused(engine, "cursor_lost", cursor);
}

function refused(engine: Engine, code: string, cursor: string): HoldfastError {
  return new HoldfastError("watch", code, { data: { cursor }, position: engine.head.position });
}
