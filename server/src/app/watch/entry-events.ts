import { publishedName, recordedAs } from "@holdfast/sdk/contract";
import type { WatchedEvent } from "@holdfast/sdk";
import { authorOf } from "../../features/entities/entity-table.ts";
import { epochAt } from "../../features/space/space-table.ts";
import type { Entry } from "../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import { iso } from "../../features/locks/tables/lock-events.ts";

/** A cursor is epoch and position, which distinguishes cursors of a lost history. */
export function cursorAt(state: StateReader, position: number): string {
  return `${String(epochAt(state, position))}.${String(position)}`;
}

/**
 * Members that a fold needs and no caller may see. They are the hash of a secret, and the own key, which resumes an
 * agent or gives a token a new secret. The data of an entity is one level deeper.
 */
export function publishedData(data: JsonObject): JsonObject {
  if (data["secret_hash"] === undefined && data["own_key"] === undefined) return data;
  const { secret_hash: _hash, own_key: _ownKey, ...rest } = data;
  return rest;
}

/** The events of an entry, shared by all watches. With hundreds of watches, one copy for each would dominate the cost. */
const eventsOfEntries = new WeakMap<Entry, readonly WatchedEvent[]>();

/** The published events of an entry. Receivers must not change them. */
export function entryEvents(state: StateReader, entry: Entry): readonly WatchedEvent[] {
  const known = eventsOfEntries.get(entry);
  if (known !== undefined) return known;
  const events = entry.events.map((event) =>
    recordedAs(event.type, {
      cursor: cursorAt(state, entry.position),
      position: entry.position,
      time: iso(entry.time),
      name: publishedName(event),
      subject: event.subject,
      data: publishedData(event.data),
      operation: entry.operation,
      by: authorOf(entry) as WatchedEvent["by"],
    }),
  );
  eventsOfEntries.set(entry, events);
  return events;
}

const eventsOfPages = new WeakMap<readonly Entry[], readonly WatchedEvent[]>();

/** The events of a page of entries: the same array for all readers of the same page. */
export function pageEvents(state: StateReader, page: readonly Entry[]): readonly WatchedEvent[] {
  const known = eventsOfPages.get(page);
  if (known !== undefined) return known;
  const events = page.flatMap((entry) => entryEvents(state, entry));
  eventsOfPages.set(page, events);
  return events;
}
