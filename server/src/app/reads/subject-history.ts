import type { Engine } from "../../engine/engine.ts";
import type { Entry, Event } from "../../machine/entry.ts";

export interface HistoryQuery {
  readonly subject: string;
  readonly before: number | undefined;
  readonly limit: number;
  /** Selects events by type: the subject of an entity may also be that of a lock or an agent. */
  readonly isSelected: (type: string) => boolean;
}

interface HistoryPage {
  readonly entries: readonly Entry[];
  /** The `before` of the next page. */
  readonly next: number | null;
}

/** Number of scanned entries after which a page ends. The index may be full of events of other types. */
const scannedMax = 1_000;
/** Minimum entries per read after the first. */
const chunkMin = 100;

/** The history of one subject, newest first. A page may be short or even empty although a next one exists. */
export async function subjectHistory(engine: Engine, query: HistoryQuery): Promise<HistoryPage> {
  const { subject, limit } = query;
  const found: Entry[] = [];
  let before = query.before;
  let count = limit + 1;
  for (let scanned = 0; scanned < scannedMax; scanned += count, count = Math.max(count, chunkMin)) {
    const entries = await engine.entriesAbout({ subject, before, order: "newest-first", limit: count });
    found.push(...entries.filter((entry) => selectedEvents(entry, query).length > 0));
    if (found.length > limit) return { entries: found.slice(0, limit), next: found[limit - 1]?.position ?? null };
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
  return events.filter((event) => event.subject === subject && isSelected(event.type));
}
