import type { Engine } from "../../engine/engine.ts";
import type { Entry, Event } from "../../machine/entry.ts";

export interface HistoryQuery {
  readonly subject: string;
  readonly before: number | undefined;
  readonly limit: number;
  /** Selects events by type: the subject of an entity may also be that of a lock or an agent. */
  readonly isSelected: (type: string, event: Event) => boolean;
}

interface HistoryPage {
  readonly entries: readonly Entry[];
  /** The `before` of the next page. */
  readonly next: number | null;
}

/** Number of scanned entries after which a page ends. The index may be full of events of other types. */
const scannedMax = 1_000;
/** Entries per read. */
const chunkSize = 100;
/** Approximate maximum characters of a page of values. A page with one larger item has that item alone. */
export const pageBytesMax = 4 * 1024 * 1024;

/** The history of one subject, newest first. A page may be short or even empty although a next one exists. */
export async function subjectHistory(engine: Engine, query: HistoryQuery): Promise<HistoryPage> {
  const { subject, limit } = query;
  const found: Entry[] = [];
  let before = query.before;
  let bytes = 0;
  for (let [scanned, count] = [0, Math.min(limit + 1, chunkSize)]; scanned < scannedMax; scanned += count) {
    const entries = await engine.entriesAbout({ subject, before, order: "newest-first", limit: count });
    for (const entry of entries) {
      const events = selectedEvents(entry, query);
      if (events.length === 0) continue;
      bytes += JSON.stringify(events).length;
      const isFull = found.length >= limit || (bytes > pageBytesMax && found.length > 0);
      if (isFull) return { entries: found, next: found.at(-1)?.position ?? null };
      found.push(entry);
    }
    if (entries.length < count) return { entries: found, next: null };
    before = entries.at(-1)?.position;
  }
  return { entries: found, next: before ?? null };
}

/** The selected events of an entry. */
export function selectedEvents(
  { events }: Entry,
  { subject, isSelected: isSelected }: Pick<HistoryQuery, "subject" | "isSelected">,
): readonly Event[] {
  return events.filter((event) => event.subject === subject && isSelected(event.type, event));
}
