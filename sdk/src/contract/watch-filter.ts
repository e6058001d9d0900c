import { isOfEntity, isOfLock, recordedType } from "./recorded-type.ts";

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
interface FilteredEvent {
  readonly name: string;
  readonly subject: string;
  readonly data: unknown;
  /** Absent in the reply to a call, whose caller is the author. */
  readonly by?: { readonly agent?: string };
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
export function ownersOf(event: FilteredEvent): readonly string[] {
  const type = recordedType(event);
  if (type === undefined) return [];
  if (isOfEntity(type)) return type === "entity.conflict" && event.by?.agent !== undefined ? [event.by.agent] : [];
  if (type.startsWith("agent.")) return [event.subject.slice("agent/".length)];
  if (!isOfLock(type) || !/^(lock|ticket)\//u.test(event.subject)) return [];
  const { owner_id, previous_owner, requested_by } = event.data as Readonly<Record<string, unknown>>;
  return [owner_id, previous_owner, requested_by].filter((owner) => typeof owner === "string");
}

function isAbout(subject: string, wanted: string): boolean {
  return wanted.endsWith("/") ? subject.startsWith(wanted) : subject === wanted;
}
