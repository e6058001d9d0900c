import type { WatchedEvent } from "@holdfast/sdk";

/** Texts are made once for all who read: the transport hands the same objects to every one of them. */
const texts = new WeakMap<WatchedEvent, string>();
const pages = new WeakMap<WatchedEvent, Page>();

interface Page {
  readonly events: readonly WatchedEvent[];
  readonly bytes: Buffer;
}

/** A page of events in the format of an event stream. Readers that keep up have the same pages, and share the bytes. */
export function pageBytes(events: readonly WatchedEvent[]): Buffer {
  const [first] = events;
  if (first === undefined) return Buffer.alloc(0);
  const known = pages.get(first);
  if (known !== undefined && isSame(known.events, events)) return known.bytes;
  const bytes = Buffer.from(events.map((event, index) => messageText(event, events[index + 1])).join(""));
  pages.set(first, { events, bytes });
  return bytes;
}

/** Every event is compared: with other filters or rights, pages with the same ends may differ between them. */
function isSame(one: readonly WatchedEvent[], other: readonly WatchedEvent[]): boolean {
  return one.length === other.length && one.every((event, index) => event === other[index]);
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
