import type { Engine } from "../../engine/engine.ts";
import type { Entry, Event } from "../../machine/entry.ts";

export interface HistoryQuery {
  readonly subject: string;
  readonly before: number | undefined;
  readonly limit: number;
  /** Which events are meant, by their type: the subject of an entity may be that of a lock or an agent too. */
  readonly isMeant: (type: string) => boolean;
}

export interface HistoryPage {
  readonly entries: readonly Entry[];
  /** The `before` of the next page. */
  readonly next: number | null;
}

/** How many entries one page looks at, at least: somebody may have filled the index with events of the other sort. */
const looksMax = 1_000;
/** Where the first entries were not enough, more are looked at together. */
const chunkMin = 100;

/** What happened to one thing, newest first. A page may be short, even empty, while there is a next one. */
export async function historyPage(engine: Engine, query: HistoryQuery): Promise<HistoryPage> {
  const { subject, limit } = query;
  const found: Entry[] = [];
  let before = query.before;
  let count = limit + 1;
  for (let looks = 0; looks < looksMax; looks += count, count = Math.max(count, chunkMin)) {
    const place = before === undefined ? {} : { before };
    const entries = await engine.entriesAbout({ subject, ...place, order: "newest-first", limit: count });
    found.push(...entries.filter((entry) => meantEvents(entry, query).length > 0));
    if (found.length > limit) return { entries: found.slice(0, limit), next: found[limit - 1]?.position ?? null };
    if (entries.length < count) return { entries: found, next: null };
    before = entries.at(-1)?.position;
  }
  return { entries: found, next: before ?? null };
}

/** The events of an entry that are meant. */
export function meantEvents(
  { events }: Entry,
  { subject, isMeant }: Pick<HistoryQuery, "subject" | "isMeant">,
): readonly Event[] {
  return events.filter((event) => event.subject === subject && isMeant(event.type));
}
