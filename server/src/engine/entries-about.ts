import type { StoredBatch } from "../journal/unseal.ts";
import { unseal } from "../journal/unseal.ts";
import type { Entry } from "../machine/entry.ts";

/**
 * The entries after a position, oldest first. With subjects, only the entries that have an event about one of them. The
 * function reads every batch, so it needs neither an index nor the ownership of the folder. A batch whose text does not
 * contain a subject is not parsed.
 */
export function* entriesAbout(
  batches: Iterable<StoredBatch>,
  query: { readonly after: number; readonly subjects?: readonly string[] | undefined },
): Generator<Entry, void, undefined> {
  const { after, subjects } = query;
  const needles = subjects?.map((subject) => JSON.stringify(subject));
  for (const stored of batches) {
    if (needles !== undefined && !needles.some((needle) => stored.lines.includes(needle))) continue;
    const batch = unseal(stored, stored.previous);
    for (const { position, events } of batch.indexed()) {
      const isSelected = subjects === undefined || events.some(({ subject }) => subjects.includes(subject));
      if (position > after && isSelected) yield batch.entry(position);
    }
  }
}
