import type { Entry } from "../../machine/entry.ts";

/** What is wrong with an entry, by the kind of proof that failed. */
export type BadEntryKind =
  /** The stored bytes do not give their own hashes, or can't be read. */
  | "damage"
  /** An entry is missing or stands in the wrong place. */
  | "chain"
  | "time"
  | "rules"
  /** Decided again, it comes out differently. */
  | "outcome"
  | "events"
  /** Decided again, it would leave no entry at all. */
  | "record"
  /** Its events do not fit the state. */
  | "fold"
  /** A hash of the state that was recorded is not that of the state. */
  | "state"
  | "key"
  /** A payload is gone and no entry says that it was erased. */
  | "erasure"
  /** The head that was noted down is not in this history. */
  | "history"
  /** The history ends before the head that was noted down. */
  | "tail";

/** The first thing that is wrong: where, what, and how it should be. */
export interface BadEntry {
  readonly position: number;
  readonly what: BadEntryKind;
  readonly expected: string;
  readonly found: string;
}

export function badEntry({ position }: Entry, what: BadEntryKind, expected: string, found: string): BadEntry {
  return { position, what, ...differenceOf(expected, found) };
}

/** How much of a text is shown. */
const shownMax = 400;
/** How much of it stands before the first difference. */
const leadMax = 40;

/** Two texts, cut so that the first difference is seen in both. */
export function differenceOf(expected: string, found: string): { readonly expected: string; readonly found: string } {
  let same = 0;
  while (same < expected.length && expected[same] === found[same]) same += 1;
  const start = Math.max(expected.length, found.length) > shownMax ? Math.max(0, same - leadMax) : 0;
  return { expected: cut(expected, start), found: cut(found, start) };
}

function cut(text: string, start: number): string {
  const shown = text.slice(start, start + shownMax);
  return `${start > 0 ? "…" : ""}${shown}${start + shownMax < text.length ? "…" : ""}`;
}
