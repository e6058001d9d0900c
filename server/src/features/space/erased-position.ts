import type { Entry } from "../../machine/entry.ts";

/** The position of the entry whose payload an entry erased, if it did. */
export function erasedPosition({ operation, events }: Entry): number | undefined {
  // Called for every entry, and almost none of them is an erasure.
  if (operation !== "erase-payload") return undefined;
  const position = events.find(({ type }) => type === "payload.erased")?.data["position"];
  return typeof position === "number" ? position : undefined;
}
