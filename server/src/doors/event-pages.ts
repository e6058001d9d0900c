/** What doors send of events. The transport hands the same objects to all who watch, so each becomes text once. */
import type { WatchedEvent } from "@holdfast/sdk";

const texts = new WeakMap<WatchedEvent, string>();

/** An event as JSON, which has no raw line ends: it is one line, whatever it holds. */
export function eventText(event: WatchedEvent): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const text = JSON.stringify(event);
  texts.set(event, text);
  return text;
}

/** Makes something of a page of events, once for all who get the same page: most who keep up do. */
export function oncePerPage<Made>(
  make: (events: readonly WatchedEvent[]) => Made,
): (events: readonly WatchedEvent[]) => Made {
  /** The last page that began with an event. */
  const pages = new WeakMap<WatchedEvent, { readonly events: readonly WatchedEvent[]; readonly made: Made }>();
  return (events) => {
    const [first] = events;
    const known = first === undefined ? undefined : pages.get(first);
    if (known !== undefined && isSame(known.events, events)) return known.made;
    const made = make(events);
    if (first !== undefined) pages.set(first, { events, made });
    return made;
  };
}

/** Every event is compared: with other filters or rights, pages with the same ends may differ between them. */
function isSame(one: readonly WatchedEvent[], other: readonly WatchedEvent[]): boolean {
  if (one === other) return true;
  return one.length === other.length && one.every((event, index) => event === other[index]);
}
