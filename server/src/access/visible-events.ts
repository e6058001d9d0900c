import { isAllowed, isOfEntity, isOfLock, ownersOf, recordedAs, recordedType } from "@holdfast/sdk/contract";
import type { CycleLink, Notice } from "@holdfast/sdk/contract";
import type { WatchedEvent } from "@holdfast/sdk";
import type { Lookups } from "./lookups.ts";
import { isAllowedEverywhere } from "./standing.ts";
import type { Standing } from "./standing.ts";
import { pathOf, seesPath, visibleCycle } from "./visible-paths.ts";
import type { NamedPath } from "./visible-paths.ts";

type Shown = Pick<WatchedEvent, "name" | "subject" | "data"> & { readonly by?: WatchedEvent["by"] };

/**
 * Which events somebody may see: those about entities that it may read, about locks on paths that it may read or lock,
 * and whatever concerns its own agents. What is about the whole space is for those who may read all of it.
 */
export class EventSight {
  readonly #lookups: Lookups;
  /** Owners that were found to be agents of the principal. One that has ended must still hear that it has. */
  readonly #own = new Set<string>();

  constructor(lookups: Lookups) {
    this.#lookups = lookups;
  }

  visible<Event extends Shown>(standing: Standing, events: readonly Event[]): readonly Event[] {
    if (isAllowedEverywhere(standing, ["read"])) return events;
    const visible = events.filter((event) => this.#isVisible(standing, event));
    return visible.map((event) => withVisibleCycle(standing, event));
  }

  /** Somebody asks for what concerns this owner: it is looked up now, while it is there. */
  expect(standing: Standing, owner: string): void {
    this.#isOwn(standing, owner);
  }

  /** What is told to an owner is for it, and for whoever may read or lock the paths that it is about. */
  isNoticeVisible(standing: Standing, { owner_id: owner, paths }: Notice): boolean {
    if (isAllowedEverywhere(standing, ["read"]) || this.#isOwn(standing, owner)) return true;
    return paths.every((path) => seesPath(standing, path));
  }

  #isVisible(standing: Standing, event: Shown): boolean {
    if (ownersOf(event).some((owner) => this.#isOwn(standing, owner))) return true;
    // Not by the subject: entities may be called like what is Holdfast's own. What is not known is not shown.
    const type = recordedType(event);
    if (type === undefined) return false;
    if (isOfEntity(type)) return isAllowed(standing.allow, ["read"], event.subject);
    const paths = isOfLock(type) ? lockPathsOf(event) : undefined;
    return paths?.every((path) => seesPath(standing, path)) === true;
  }

  #isOwn({ principal }: Standing, owner: string): boolean {
    if (this.#own.has(owner)) return true;
    const isOwn = this.#lookups.principalOf(owner) === principal;
    if (isOwn) this.#own.add(owner);
    return isOwn;
  }
}

/** Every path of an event about locks: the first one of a set tells of all. Those about tickets are for their owners. */
function lockPathsOf({ subject, data }: Shown): readonly string[] | undefined {
  if (!subject.startsWith("lock/")) return undefined;
  const { paths = [], of } = data as { readonly paths?: readonly NamedPath[]; readonly of?: string };
  return [subject.slice("lock/".length), ...paths.map(pathOf), ...(of === undefined ? [] : [of])];
}

/** A deadlock runs through paths of others, also for those whom it concerns: they see who is in it, and not where. */
function withVisibleCycle<Event extends Shown>(standing: Standing, event: Event): Event {
  const type = "lock.deadlock";
  const { cycle } = event.data as { readonly cycle?: readonly CycleLink[] };
  if (recordedType(event) !== type || cycle === undefined) return event;
  const data = { ...(event.data as object), cycle: visibleCycle(standing, cycle) };
  return recordedAs(type, { ...event, data });
}
