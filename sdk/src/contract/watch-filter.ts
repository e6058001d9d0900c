import type { RecordedEvent } from "./event-type.ts";
import { eventTypes } from "./event-types.ts";
import { recordedType } from "./recorded-type.ts";

/** Selects events. The same filter applies in process, over the socket and over HTTP. */
export interface WatchFilter {
  /** Only events with one of these names, such as `evt.document.changed`. */
  readonly names?: readonly string[];
  /** Only events about this subject, such as `document/42`. With a slash at the end: about everything below it. */
  readonly subject?: string;
  /** Only events that concern this owner: its grants, losses and tickets, release requests, and its own conflicts. */
  readonly owner?: string;
}

/** The members of an event that a filter reads. */
interface FilteredEvent extends RecordedEvent {
  readonly name: string;
}

export function isWanted(event: FilteredEvent, filter: WatchFilter): boolean {
  const { names, subject, owner } = filter;
  if (names?.includes(event.name) === false) return false;
  if (subject !== undefined && !isAbout(event.subject, subject)) return false;
  return owner === undefined || ownersOf(event).includes(owner);
}

/**
 * The owners that an event concerns. It uses the recorded type, so an event of an entity is never mistaken for one of
 * its lock.
 */
export function ownersOf(event: RecordedEvent): readonly string[] {
  const type = recordedType(event);
  return (type === undefined ? undefined : eventTypes.get(type))?.owners?.(event) ?? [];
}

function isAbout(subject: string, wanted: string): boolean {
  return wanted.endsWith("/") ? subject.startsWith(wanted) : subject === wanted;
}
