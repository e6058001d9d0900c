/** Reads the history of a path: how its locks ended, and its holders at a position. */
import { isOfLock } from "@holdfast/sdk/contract";
import type { Entry, Event } from "../../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { iso, lockSubject } from "../tables/lock-events.ts";

const endings: Readonly<Record<string, string>> = {
  "lock.released": "released",
  "lock.expired": "expired",
  "lock.recovered": "recovered",
  "lock.forced": "forced",
};

/** How the lock before the grant with this fence ended, from the entries of the path, newest first. */
export function previousLock(path: string, entries: Iterable<Entry>, fence: string): JsonObject | undefined {
  const subject = lockSubject(path);
  for (const entry of entries) {
    for (let index = entry.events.length - 1; index >= 0; index -= 1) {
      const event = entry.events[index];
      const how = event === undefined ? undefined : endings[event.type];
      if (event?.subject !== subject || how === undefined || event.data["fence"] === fence) continue;
      const { owner_id: by = "", purpose = null, note = null } = event.data;
      return { path, how, by, at: iso(entry.time), purpose, note };
    }
  }
  return undefined;
}

/**
 * The fences of all grants at a path after the newest of these entries, which come newest first. Undefined if older
 * entries are needed. `isAll` is true if there are none.
 */
export function fencesAfter(
  path: string,
  newestFirst: readonly Entry[],
  isAll: boolean,
): readonly string[] | undefined {
  const subject = lockSubject(path);
  const events = newestFirst.toReversed().flatMap((entry) => entry.events.filter((event) => isAbout(event, subject)));
  const start = events.findLastIndex(({ data }) => data["beside_count"] === undefined);
  if (start < 0 && !isAll) return undefined;
  const held = new Set<string>();
  for (const { type, data } of events.slice(Math.max(start, 0))) {
    if (data["beside_count"] === undefined) {
      held.clear();
      for (const fence of (data["beside"] as readonly string[] | undefined) ?? []) held.add(fence);
    }
    held.delete((data["previous_fence"] as string | undefined) ?? "");
    const { fence } = data;
    if (typeof fence !== "string") continue;
    if (endings[type] === undefined) held.add(fence);
    else held.delete(fence);
  }
  return [...held];
}

/** True if an entry is about locks at a path. An entity of the type `lock` may have the same subject. */
export function concernsLocksAt(path: string, { events }: Entry): boolean {
  const subject = lockSubject(path);
  return events.some((event) => isAbout(event, subject));
}

function isAbout(event: Event, subject: string): boolean {
  return event.subject === subject && isOfLock(event.type);
}

/** Position of the entry that made a fence. */
export function positionOf(fence: string): number {
  const start = fence.indexOf(".") + 1;
  const end = fence.indexOf(".", start);
  return Number(end < 0 ? fence.slice(start) : fence.slice(start, end));
}

/** The holder that got a path with this fence, from the entry that made the fence. */
export function grantedIn(entry: Entry, path: string, fence: string): JsonObject | undefined {
  const ofGrant = entry.events.filter(({ data }) => data["fence"] === fence);
  const event = ofGrant.find((candidate) => isAbout(candidate, lockSubject(path)));
  const leading = ofGrant.find(({ data }) => data["of"] === undefined);
  if (event === undefined || leading === undefined) return undefined;
  const { owner_id = "", mode = "write", scope = "tree" } = event.data;
  const { purpose = null, acquired_at: since = iso(entry.time) } = leading.data;
  return { owner_id, path, mode, scope, fence, purpose, since, position: entry.position };
}
