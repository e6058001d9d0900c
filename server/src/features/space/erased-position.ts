import type { Entry } from "../../machine/entry.ts";

/** The position of the entry whose payload an entry erased, if it did. */
export function erasedPosition({ events }: Pick<Entry, "events">): number | undefined {
  const position = events.find(({ type }) => type === "payload.erased")?.data["position"];
  return typeof position === "number" ? position : undefined;
}
