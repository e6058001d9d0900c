/** The event types of all features and packs, and what each says about its events. */
import type { EventType, RecordedEvent } from "./event-type.ts";
import { entityEvents, events } from "./events.ts";
import { lockEvents } from "./lock-events.ts";
import { packs } from "./packs/packs.ts";
import { pathOfSubject } from "./path-of-entity.ts";

/** Event types by name: those of features, then those of packs. */
export const eventTypes: ReadonlyMap<string, EventType> = new Map<string, EventType>([
  ...Object.entries(events),
  ...packs.flatMap((pack) => Object.entries(pack.events)),
]);

const packTypes = new Set(packs.flatMap((pack) => Object.keys(pack.events)));

/** True if an event is about an entity of any type. */
export function isOfEntity(type: string): boolean {
  return Object.hasOwn(entityEvents, type);
}

/** True if an event is about locks or tickets. */
export function isOfLock(type: string): boolean {
  return Object.hasOwn(lockEvents, type);
}

/** True if a pack declares the type. */
export function isOfPack(type: string): boolean {
  return packTypes.has(type);
}

/**
 * The paths of an event. A caller sees the event if it may see all of them. Undefined: only callers that may read
 * everything see it. An unknown type has no path, and neither has an event whose data was erased, if its path is in the data.
 */
export function pathsOfEvent(type: EventType | undefined, event: RecordedEvent): readonly string[] | undefined {
  if (type === undefined) return undefined;
  if (type.paths === undefined) return [pathOfSubject(event.subject)];
  const paths: readonly unknown[] | undefined = type.paths(event);
  return paths?.every((path) => typeof path === "string") === true ? paths : undefined;
}
