import type { Entry } from "../../machine/entry.ts";
import { type BadEntry, badEntry } from "./bad-entry.ts";

/** The position of the entry whose payload an entry erased, if it did. */
export type ErasedPosition = (entry: Entry) => number | undefined;

/**
 * Keeps account of payloads that are gone. Each one names the entry that erased it, and that entry must say so too:
 * otherwise whoever can write to the file could take out what does not please him.
 */
export class ErasureAudit {
  readonly #erasedPosition: ErasedPosition;
  /** Who is still to say that it erased: its position, and what it should have erased. */
  readonly #expected = new Map<number, number[]>();
  #erasedCount = 0;

  constructor(erasedPosition: ErasedPosition) {
    this.#erasedPosition = erasedPosition;
  }

  get erasedCount(): number {
    return this.#erasedCount;
  }

  /** An entry whose payload is gone. */
  note(entry: Entry): BadEntry | undefined {
    const { position, erased: by = 0 } = entry;
    if (by <= position) return badEntry(entry, "erasure", "a later entry that erased it", `entry ${by}`);
    this.#erasedCount += 1;
    this.#expected.set(by, [...(this.#expected.get(by) ?? []), position]);
    return undefined;
  }

  /** Every entry, since any may be the one that others name. */
  confirm(entry: Entry): BadEntry | undefined {
    const expected = this.#expected.get(entry.position);
    if (expected === undefined) return undefined;
    this.#expected.delete(entry.position);
    const confirmed = this.#erasedPosition(entry);
    const unconfirmed = expected.find((position) => position !== confirmed);
    return unconfirmed === undefined
      ? undefined
      : unconfirmedAt(unconfirmed, `entry ${entry.position} does not say so`);
  }

  /** Those who erased were not found at all. */
  unconfirmed(): BadEntry | undefined {
    const positions = [...this.#expected].flatMap(([by, erased]) => erased.map((position) => ({ position, by })));
    const first = positions.sort((one, other) => one.position - other.position)[0];
    return first === undefined ? undefined : unconfirmedAt(first.position, `there is no entry ${first.by}`);
  }
}

function unconfirmedAt(position: number, found: string): BadEntry {
  return { position, what: "erasure", expected: "its payload, or an entry that erased it", found };
}
