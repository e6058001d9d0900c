import type { Entry } from "../../machine/entry.ts";
import { type BadEntry, badEntry } from "./bad-entry.ts";

/** The position of the entry whose payload an entry erased, if it erased one. */
export type ErasedPosition = (entry: Entry) => number | undefined;

/**
 * Audits erased payloads. Each one names the entry that erased it, and that entry must confirm the erasure. Otherwise an
 * attacker with write access to the file could remove payloads without a trace.
 */
export class ErasureAudit {
  readonly #erasedPosition: ErasedPosition;
  /** Unconfirmed erasures: by the position of the erasing entry, the positions that it must have erased. */
  readonly #expected = new Map<number, number[]>();
  #erasedCount = 0;

  constructor(erasedPosition: ErasedPosition) {
    this.#erasedPosition = erasedPosition;
  }

  get erasedCount(): number {
    return this.#erasedCount;
  }

  /** Checks an entry whose payload is erased. */
  note(entry: Entry): BadEntry | undefined {
    const { position, erased: by = 0 } = entry;
    if (by <= position) return badEntry(entry, "erasure", "a later entry that erased it", `entry ${by}`);
    this.#erasedCount += 1;
    this.#expected.set(by, [...(this.#expected.get(by) ?? []), position]);
    return undefined;
  }

  /** Checks whether an entry confirms the erasures that name it. It must be called for every entry. */
  confirm(entry: Entry): BadEntry | undefined {
    const expected = this.#expected.get(entry.position);
    if (expected === undefined) return undefined;
    this.#expected.delete(entry.position);
    const confirmed = this.#erasedPosition(entry);
    const unconfirmed = expected.find((position) => position !== confirmed);
    return unconfirmed === undefined
      ? undefined
      : unconfirmedAt(unconfirmed, `entry ${entry.position} does not erase it`);
  }

  /** The first erasure whose erasing entry does not exist. */
  unconfirmed(): BadEntry | undefined {
    const positions = [...this.#expected].flatMap(([by, erased]) => erased.map((position) => ({ position, by })));
    const first = positions.sort((a, b) => a.position - b.position)[0];
    return first === undefined ? undefined : unconfirmedAt(first.position, `there is no entry ${first.by}`);
  }
}

function unconfirmedAt(position: number, found: string): BadEntry {
  return { position, what: "erasure", expected: "its payload, or an entry that erased it", found };
}
