import { isOfEntity, isOfLock, recordedType } from "./recorded-type.ts";

/** Which events somebody wants to hear of. The same filter holds in process, over the socket and over HTTP. */
export interface WatchFilter {
  /** Only events with one of these names, such as `evt.document.changed`. */
  readonly names?: readonly string[];
  /** Only events about this, such as `document/42`, or, with a slash at the end, about anything below it. */
  readonly subject?: string;
  /** Only events that concern this owner: its grants, losses and tickets, requests to release, its own conflicts. */
  readonly owner?: string;
}

/** As much of an event as a filter looks at. */
export interface FilteredEvent {
  readonly name: string;
  readonly subject: string;
  readonly data: unknown;
  /** Absent in the answer to a call, whose caller is the author. */
  readonly by?: { readonly agent?: string };
}

export function isWanted(event: FilteredEvent, filter: WatchFilter): boolean {
  const { names, subject, owner } = filter;
  if (names?.includes(event.name) === false) return false;
  if (subject !== undefined && !isAbout(event.subject, subject)) return false;
  return owner === undefined || ownersOf(event).includes(owner);
}

/** Whom an event concerns. It goes by the type that is recorded, so nobody is told of an entity as if it were its lock. */
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
