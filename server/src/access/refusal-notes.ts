import type { Clock } from "../base/clock.ts";

/** A refused operator operation. */
export interface RefusedAttempt {
  readonly principal: string;
  readonly agent: string | undefined;
  readonly operation: string;
  readonly reason: string;
  /** Earlier attempts of the same principal that were only counted. */
  readonly unrecorded: number;
}

/** Maximum recorded attempts of one principal per period. */
const notesMax = 10;
const periodMs = 60_000;
/** Maximum principals with a count. Beyond it all counts are cleared. */
const principalsMax = 10_000;

interface Count {
  sinceMs: number;
  noted: number;
  skipped: number;
}

/**
 * Records refused attempts in the journal, a few per principal and minute. The audit trail must show them, but no
 * caller may fill the journal with them. Further attempts are counted and reported with the next recorded one.
 */
export class RefusalNotes {
  readonly #clock: Clock;
  readonly #record: (attempt: RefusedAttempt) => void;
  readonly #counts = new Map<string, Count>();

  constructor(clock: Clock, record: (attempt: RefusedAttempt) => void) {
    this.#clock = clock;
    this.#record = record;
  }

  note(attempt: Omit<RefusedAttempt, "unrecorded">): void {
    const count = this.#countOf(attempt.principal);
    if (count.noted >= notesMax) {
      count.skipped += 1;
      return;
    }
    count.noted += 1;
    const { skipped } = count;
    count.skipped = 0;
    this.#record({ ...attempt, unrecorded: skipped });
  }

  #countOf(principal: string): Count {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#counts.get(principal);
    if (known !== undefined && nowMs - known.sinceMs < periodMs) return known;
    if (this.#counts.size >= principalsMax) this.#counts.clear();
    const count = { sinceMs: nowMs, noted: 0, skipped: known?.skipped ?? 0 };
    this.#counts.set(principal, count);
    return count;
  }
}
