import type { Engine } from "../../engine/engine.ts";
import type { Entry, Event } from "../../machine/entry.ts";

export interface HistoryQuery {
  readonly subject: string;
  readonly before: number | undefined;
  readonly limit: number;
  /** Selects events by type: the subject of an entity may also be that of a lock or an agent. */
  readonly isMeant: (type: string) => boolean;
}

interface HistoryPage {
  readonly entries: readonly Entry[];
  /** The `before` of the next page. */
  readonly next: number | null;
}

/** Minimum entries that one page scans: the index may be full of events of the other sort. */
const looksMax = 1_000;
/** If the first entries were not enough, more are read at once. */
const chunkMin = 100;

/** The history of one subject, newest first. A page may be short, even empty, while there is a next one. */
export async function subjectHistory(engine: Engine, query: HistoryQuery): Promise<HistoryPage> {
  const { subject, limit } = query;
  const found: Entry[] = [];
  let before = query.before;
  let count = limit + 1;
  for (let looks = 0; looks < looksMax; looks += count, count = Math.max(count, chunkMin)) {
    const place = before === undefined ? {} : { before };
    const entries = await engine.entriesAbout({ subject, ...place, order: "newest-first", limit: count });
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
  { subject, isMeant }: Pick<HistoryQuery, "subject" | "isMeant">,
): readonly Event[] {
  return events.filter((event) => event.subject === subject && isMeant(event.type));
}
