/**
 * The events that doors send. The transport passes the same objects to all watches, so each event is serialised once.
 */
import type { WatchedEvent } from "@holdfast/sdk";

const texts = new WeakMap<WatchedEvent, string>();

/** An event as JSON on one line: JSON has no raw line breaks. */
export function eventText(event: WatchedEvent): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const text = JSON.stringify(event);
  texts.set(event, text);
  return text;
}

/** Converts a page of events once for all watches with the same page. Most watches that keep up have the same page. */
export function convertEventPages<Made>(
  make: (events: readonly WatchedEvent[]) => Made,
): (events: readonly WatchedEvent[]) => Made {
  /** The last page, by its first event. */
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

/** Every event is compared: with other filters or rights, pages with equal ends may differ in between. */
function isSame(left: readonly WatchedEvent[], right: readonly WatchedEvent[]): boolean {
  if (left === right) return true;
  return left.length === right.length && left.every((event, index) => event === right[index]);
}
