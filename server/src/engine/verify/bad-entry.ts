import type { Entry } from "../../machine/entry.ts";

/** The check that an entry failed. */
type BadEntryKind =
  /** The stored bytes do not match their hashes, or cannot be read. */
  | "damage"
  /** An entry is missing or has the wrong position. */
  | "chain"
  | "time"
  | "rules"
  /** A second decision has another outcome, or other events. */
  | "outcome"
  | "events"
  /** A check that runs again makes other evidence. */
  | "evidence"
  /** A second decision leaves no entry. */
  | "record"
  /** Its events cannot be folded into the state. */
  | "fold"
  /** A recorded hash differs from the hash of the state. */
  | "state"
  | "key"
  /** A payload is missing, and no entry erased it. */
  | "erasure"
  /** The expected head is not in this history. */
  | "history"
  /** The history ends before the expected head. */
  | "tail";

/** The first invalid entry: its position, the failed check, and both values. */
export interface BadEntry {
  readonly position: number;
  readonly what: BadEntryKind;
  readonly expected: string;
  readonly found: string;
}

export function badEntry({ position }: Entry, what: BadEntryKind, expected: string, found: string): BadEntry {
  return { position, what, ...differenceOf(expected, found) };
}

/** Maximum length of a shown text. */
const shownMax = 400;
/** Maximum length of the text before the first difference. */
const leadMax = 40;

/** Cuts two texts so that both show the first difference. */
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
