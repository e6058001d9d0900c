import type { WatchedEvent } from "@holdfast/sdk";

/** Events are shared by all who watch, so each becomes text once, however many get it. */
const texts = new WeakMap<WatchedEvent, string>();

export function eventText(event: WatchedEvent): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const text = JSON.stringify(event);
  texts.set(event, text);
  return text;
}
