import {
  eventTypes,
  isAllowed,
  noticeTypes,
  ownersOf,
  pathsOfEvent,
  recordedAs,
  recordedType,
} from "@holdfast/sdk/contract";
import type { CycleLink, Notice } from "@holdfast/sdk/contract";
import type { WatchedEvent } from "@holdfast/sdk";
import type { Lookups } from "./lookups.ts";
import { isAllowedEverywhere } from "./caller-rights.ts";
import type { CallerRights } from "./caller-rights.ts";
import { visibleCycle } from "./redact-paths.ts";

type CheckedEvent = Pick<WatchedEvent, "name" | "subject" | "data"> & { readonly by?: WatchedEvent["by"] };

/**
 * The events that a caller may see. They are on paths that it may read, about locks on paths that it may read or lock,
 * or of its own agents. Each event type declares its paths and its owners. An event without paths needs the right to
 * read everything.
 */
export class EventVisibility {
  readonly #lookups: Lookups;
  /** Owners that are agents of the principal. An ended agent must still receive the event of its end. */
  readonly #ownAgents = new Set<string>();

  constructor(lookups: Lookups) {
    this.#lookups = lookups;
  }

  visible<Event extends CheckedEvent>(rights: CallerRights, events: readonly Event[]): readonly Event[] {
    if (isAllowedEverywhere(rights, ["read"])) return events;
    const visible = events.filter((event) => this.#isVisible(rights, event));
    return visible.map((event) => withVisibleCycle(rights, event));
  }

  /** Looks up an owner while it exists, so that its caller also receives the event of its end. */
  rememberOwner(rights: CallerRights, owner: string): void {
    this.#isOwn(rights, owner);
  }

  /** A notice is visible to its owner, and to callers that have one of its verbs on each of its paths. */
  isNoticeVisible(rights: CallerRights, { notice, owner_id: owner, paths }: Notice): boolean {
    if (isAllowedEverywhere(rights, ["read"]) || this.#isOwn(rights, owner)) return true;
    const verbs = noticeTypes.get(notice)?.verbs ?? ["read"];
    return paths.length > 0 && paths.every((path) => isAllowed(rights.allow, verbs, path));
  }

  #isVisible(rights: CallerRights, event: CheckedEvent): boolean {
    if (ownersOf(event).some((owner) => this.#isOwn(rights, owner))) return true;
    // Not by the subject: an entity may have the same subject as an event of Holdfast. An unknown type is not shown.
    const type = eventTypes.get(recordedType(event) ?? "");
    const verbs = type?.verbs ?? ["read"];
    return pathsOfEvent(type, event)?.every((path) => isAllowed(rights.allow, verbs, path)) === true;
  }

  #isOwn({ principal }: CallerRights, owner: string): boolean {
    if (this.#ownAgents.has(owner)) return true;
    const isOwn = this.#lookups.principalOf(owner) === principal;
    if (isOwn) this.#ownAgents.add(owner);
    return isOwn;
  }
}

/** A deadlock runs through paths of other owners, also for the owners in it. They see the owners, not the paths. */
function withVisibleCycle<Event extends CheckedEvent>(rights: CallerRights, event: Event): Event {
  const type = "lock.deadlock";
  const { cycle } = event.data as { readonly cycle?: readonly CycleLink[] };
  if (recordedType(event) !== type || cycle === undefined) return event;
  const data = { ...(event.data as object), cycle: visibleCycle(rights, cycle) };
  return recordedAs(type, { ...event, data });
}
