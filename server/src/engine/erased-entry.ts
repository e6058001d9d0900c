import type { Entry } from "../machine/entry.ts";

/** An entry without its payload. Readers get this form from the moment that the erasure is durable. */
export function erasedEntry({ evidence: _, ...entry }: Entry, by: number): Entry {
  return {
    ...entry,
    input: null,
    outcome: { ...entry.outcome, data: {} },
    events: entry.events.map(({ type, subject }) => ({ type, subject, data: {} })),
    erased: by,
  };
}
