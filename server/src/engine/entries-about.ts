import type { StoredBatch } from "../journal/unseal.ts";
import { unseal } from "../journal/unseal.ts";
import type { Entry } from "../machine/entry.ts";

/**
 * The entries after a position, oldest first; with subjects, those that have an event about one of them. It reads every
 * batch, which needs no index and so no owner; a batch that can't hold a subject is not even taken apart.
 */
export function* entriesAbout(
  batches: Iterable<StoredBatch>,
  query: { readonly after: number; readonly subjects?: readonly string[] },
): Generator<Entry, void, undefined> {
  const { after, subjects } = query;
  const signs = subjects?.map((subject) => JSON.stringify(subject));
  for (const stored of batches) {
    if (signs !== undefined && !signs.some((sign) => stored.lines.includes(sign))) continue;
    const batch = unseal(stored, stored.previous);
    for (const { position, events } of batch.indexed()) {
      const isAsked = subjects === undefined || events.some(({ subject }) => subjects.includes(subject));
      if (position > after && isAsked) yield batch.entry(position);
    }
  }
}
