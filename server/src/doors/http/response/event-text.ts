import type { WatchedEvent } from "@holdfast/sdk";
import { eventText, convertEventPages } from "../../event-pages.ts";

/** A page of events in the format of an event stream. */
export const eventTextBytes = convertEventPages((events) =>
  Buffer.from(events.map((event, index) => messageText(event, events[index + 1])).join("")),
);

/**
 * The id is the cursor to resume from, and a cursor names a whole entry, so only the last event of an entry has one. A
 * reader that loses the connection between two events of an entry gets both again and misses none.
 */
function messageText(event: WatchedEvent, next: WatchedEvent | undefined): string {
  const text = eventText(event);
  return next?.position === event.position ? `data: ${text}\n\n` : `id: ${event.cursor}\ndata: ${text}\n\n`;
}
