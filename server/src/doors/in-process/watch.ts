import { publishedName } from "@holdfast/sdk/contract";
import { HoldfastError } from "@holdfast/sdk";
import type { WatchedEvent } from "@holdfast/sdk";
import type { Engine } from "../../engine/engine.ts";
import { HistoryLostError } from "../../engine/subscription.ts";
import type { Subscription } from "../../engine/subscription.ts";
import { authorOf } from "../../features/entities/entity-table.ts";
import { epochAt, isInHistory } from "../../features/space/space-table.ts";
import type { Entry } from "../../machine/entry.ts";
import type { StateReader } from "../../machine/state.ts";
import { copyJson } from "./copy-json.ts";
import { journalRefusal } from "./journal-refusal.ts";

/** A cursor is epoch and position, so that one from a lost history is told from one of this. */
export function cursorAt(state: StateReader, position: number): string {
  return `${String(epochAt(state, position))}.${String(position)}`;
}

/** Pages of events after a cursor. Without one it starts with what comes after this very call. */
export function watch(engine: Engine, after: string | undefined): AsyncIterableIterator<readonly WatchedEvent[]> {
  const now = engine.head.position;
  let subscription: Subscription | undefined;
  return {
    async next() {
      subscription ??= engine.subscribe(after === undefined ? now : await positionOf(engine, after));
      try {
        for (;;) {
          const page = await subscription.next();
          if (page.done === true) return { done: true, value: undefined };
          const events = await engine.read((state) => page.value.flatMap((entry) => eventsOf(state, entry)));
          // The history may have been lost while the read waited; the next turn of the loop says so.
          if (subscription.hasEnded) continue;
          // An entry may hold no event, such as a refusal that was recorded for its key.
          if (events.length > 0) return { done: false, value: events };
        }
      } catch (error) {
        if (error instanceof HistoryLostError) throw lost(engine, after ?? "");
        const { code, data } = journalRefusal(error);
        throw new HoldfastError("watch", code, { data, position: engine.head.position, replayed: false });
      }
    },
    async return() {
      await subscription?.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function positionOf(engine: Engine, cursor: string): Promise<number> {
  const match = /^([1-9][0-9]{0,14})\.(0|[1-9][0-9]{0,14})$/u.exec(cursor);
  if (match === null) throw refused(engine, "cursor_invalid", cursor);
  const token = { epoch: Number(match[1]), position: Number(match[2]) };
  const isKnown = await engine.read((state) => isInHistory(state, token));
  if (!isKnown || token.position > engine.head.position) throw lost(engine, cursor);
  return token.position;
}

function lost(engine: Engine, cursor: string): HoldfastError {
  return refused(engine, "cursor_lost", cursor);
}

function refused(engine: Engine, code: string, cursor: string): HoldfastError {
  return new HoldfastError("watch", code, { data: { cursor }, position: engine.head.position, replayed: false });
}

function eventsOf(state: StateReader, entry: Entry): readonly WatchedEvent[] {
  return entry.events.map((event) => ({
    cursor: cursorAt(state, entry.position),
    position: entry.position,
    time: entry.time,
    name: publishedName(event),
    subject: event.subject,
    data: copyJson(event.data),
    operation: entry.operation,
    by: authorOf(entry) as WatchedEvent["by"],
  }));
}
