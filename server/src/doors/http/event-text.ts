import type { WatchedEvent } from "@holdfast/sdk";

/** Texts are made once for all who read: the transport hands the same objects to every one of them. */
const texts = new WeakMap<WatchedEvent, string>();
const pages = new WeakMap<WatchedEvent, Page>();

interface Page {
  readonly last: WatchedEvent;
  readonly count: number;
  readonly bytes: Buffer;
}

/** A page of events in the format of an event stream. Readers that keep up have the same pages, and share the bytes. */
export function pageBytes(events: readonly WatchedEvent[]): Buffer {
  const [first] = events;
  const last = events.at(-1);
  if (first === undefined || last === undefined) return Buffer.alloc(0);
  const known = pages.get(first);
  if (known?.last === last && known.count === events.length) return known.bytes;
  const bytes = Buffer.from(events.map((event, index) => messageText(event, events[index + 1])).join(""));
  pages.set(first, { last, count: events.length, bytes });
  return bytes;
}

/**
 * The id is where to go on from, and a cursor names a whole entry: so only its last event has one. Whoever loses the
 * connection between two events of an entry gets both again, and misses none.
 */
function messageText(event: WatchedEvent, next: WatchedEvent | undefined): string {
  const text = eventText(event);
  return next?.position === event.position ? `data: ${text}\n\n` : `id: ${event.cursor}\ndata: ${text}\n\n`;
}

function eventText(event: WatchedEvent): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  // JSON has no raw line ends, so it is one line whatever it holds.
  const text = JSON.stringify(event);
  texts.set(event, text);
  return text;
}
