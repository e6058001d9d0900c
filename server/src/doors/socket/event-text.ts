import type { WatchedEvent } from "@holdfast/sdk";

/** Events are shared by all who watch, so each becomes text once, however many get it. */
const texts = new WeakMap<WatchedEvent, string>();
/** The last page that began with an event: most who keep up get the same ones. */
const pages = new WeakMap<WatchedEvent, Page>();

interface Page {
  readonly events: readonly WatchedEvent[];
  readonly text: string;
}

/** A page of events as a JSON array. */
export function pageText(events: readonly WatchedEvent[]): string {
  const [first] = events;
  if (first === undefined) return "[]";
  const known = pages.get(first);
  if (known !== undefined && isSame(known.events, events)) return known.text;
  const text = `[${events.map(eventText).join(",")}]`;
  pages.set(first, { events, text });
  return text;
}

/** Every event is compared: with other filters or rights, pages with the same ends may differ between them. */
function isSame(one: readonly WatchedEvent[], other: readonly WatchedEvent[]): boolean {
  return one.length === other.length && one.every((event, index) => event === other[index]);
}

function eventText(event: WatchedEvent): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const text = JSON.stringify(event);
  texts.set(event, text);
  return text;
}
