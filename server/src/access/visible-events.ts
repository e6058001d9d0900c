import { isAllowed, ownersOf } from "@holdfast/sdk/contract";
import type { Notice } from "@holdfast/sdk/contract";
import type { CallReply, WatchedEvent } from "@holdfast/sdk";
import type { Lookups } from "./lookups.ts";
import { isAllowedEverywhere } from "./standing.ts";
import type { Standing } from "./standing.ts";

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
    return events.filter((event) => this.#isVisible(standing, event));
  }

  /** Somebody asks for what concerns this owner: it is looked up now, while it is there. */
  expect(standing: Standing, owner: string): void {
    this.#isOwn(standing, owner);
  }

  /** What is told to an owner is for it, and for whoever may read or lock the paths that it is about. */
  isNoticeVisible(standing: Standing, { owner_id: owner, paths }: Notice): boolean {
    if (isAllowedEverywhere(standing, ["read"]) || this.#isOwn(standing, owner)) return true;
    return paths.every((path) => isAllowed(standing.allow, ["read", "lock"], path));
  }

  #isVisible(standing: Standing, event: Shown): boolean {
    const by = event.by ?? { principal: "" };
    if (ownersOf({ ...event, by }).some((owner) => this.#isOwn(standing, owner))) return true;
    const { allow } = standing;
    const paths = lockPathsOf(event);
    if (paths !== undefined) return paths.every((path) => isAllowed(allow, ["read", "lock"], path));
    const isOfOthers = /^(agent|agents|ticket|token|locks|space|access|payload)(\/|$)/u.test(event.subject);
    return !isOfOthers && isAllowed(allow, ["read"], event.subject);
  }

  #isOwn({ principal }: Standing, owner: string): boolean {
    if (this.#own.has(owner)) return true;
    const isOwn = this.#lookups.principalOf(owner) === principal;
    if (isOwn) this.#own.add(owner);
    return isOwn;
  }
}

/** Every path that an event about locks names: the first one of a set tells of all. */
function lockPathsOf({ subject, data }: Shown): readonly string[] | undefined {
  if (!subject.startsWith("lock/")) return undefined;
  const { paths = [], of } = data as { readonly paths?: readonly (string | { path: string })[]; readonly of?: string };
  const named = paths.map((path) => (typeof path === "string" ? path : path.path));
  return [subject.slice("lock/".length), ...named, ...(of === undefined ? [] : [of])];
}

/** What a caller may not read must not reach it in an answer either: neither values nor what others changed. */
export function withoutValues(reply: CallReply): CallReply {
  const { outcome } = reply;
  const data = outcome.data as Readonly<Record<string, unknown>>;
  const { value: _value, changes: _changes, pointers: _pointers, ...rest } = data;
  return { ...reply, outcome: { ...outcome, data: rest } };
}
