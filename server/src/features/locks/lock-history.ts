/** What the journal knows about a path: how it was left, and who held it at a position. */
import type { Entry, Event } from "../../machine/entry.ts";
import type { JsonObject } from "../../machine/json.ts";
import { iso, lockSubject } from "./lock-events.ts";

const endings: Readonly<Record<string, string>> = {
  "lock.released": "released",
  "lock.expired": "expired",
  "lock.recovered": "recovered",
  "lock.forced": "forced",
};

/** How a path was left by whoever had it before the grant with this fence, given its entries newest first. */
export function leftBefore(path: string, entries: Iterable<Entry>, fence: string): JsonObject | undefined {
  const subject = lockSubject(path);
  for (const entry of entries) {
    for (const event of entry.events.toReversed()) {
      const how = endings[event.type];
      if (event.subject !== subject || how === undefined || event.data["fence"] === fence) continue;
      const { owner_id: by = "", purpose = null, note = null } = event.data;
      return { path, how, by, at: iso(entry.time), purpose, note };
    }
  }
  return undefined;
}

/** Who held a path after a position, told by its entries up to there, oldest first. */
export function holdersAfter(path: string, entries: Iterable<Entry>): JsonObject[] {
  const subject = lockSubject(path);
  const holders = new Map<string, JsonObject>();
  for (const entry of entries) {
    for (const event of entry.events) if (event.subject === subject) apply(holders, event, entry);
  }
  return [...holders.values()];
}

function apply(holders: Map<string, JsonObject>, event: Event, entry: Entry): void {
  const { type, data } = event;
  const fence = data["fence"] as string;
  if (endings[type] !== undefined) {
    holders.delete(fence);
    return;
  }
  if (type === "lock.acquired") holders.set(fence, holderOf(data, entry));
  if (type === "lock.refreshed") {
    const known = holders.get(fence);
    if (known !== undefined) holders.set(fence, { ...known, until: data["expires_at"] ?? null });
  }
  const previous = data["previous_fence"];
  if (typeof previous !== "string") return;
  const known = holders.get(previous) ?? {};
  holders.delete(previous);
  holders.set(fence, { ...known, ...holderOf(data, entry), since: known["since"] ?? iso(entry.time) });
}

function holderOf(data: JsonObject, entry: Entry): JsonObject {
  const { owner_id = "", mode = "write", scope = "tree", fence = "", expires_at = null } = data;
  const purpose = data["purpose"] ?? null;
  return { owner_id, mode, scope, fence, purpose, since: iso(entry.time), until: expires_at, position: entry.position };
}
