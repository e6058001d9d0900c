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

/** A failed authentication. It names neither the caller, which is unknown, nor anything of its token. */
export interface FailedAuthentication {
  readonly door: string;
  readonly code: string;
  /** Earlier failures at the same door that were only counted. */
  readonly unrecorded: number;
}

/** Writes notes to the journal. */
export interface NoteRecorder {
  readonly refused: (attempt: RefusedAttempt) => void;
  readonly rejected: (failure: FailedAuthentication) => void;
}

export const noteLimits = {
  /** Maximum recorded attempts of one principal, and failed authentications at one door, per period. */
  notesMax: 10,
  periodMs: 60_000,
  /** Maximum principals with a count. Beyond it all counts are cleared. */
  principalsMax: 10_000,
} as const;

interface Count {
  sinceMs: number;
  noted: number;
  skipped: number;
}

/**
 * Records refused attempts and failed authentications in the journal, a few per principal or door and minute. The audit
 * trail must show them, but no caller may fill the journal with them. Further ones are counted and reported with the
 * next recorded one.
 */
export class RefusalNotes {
  readonly #clock: Clock;
  readonly #record: NoteRecorder;
  readonly #counts = new Map<string, Count>();

  constructor(clock: Clock, record: NoteRecorder) {
    this.#clock = clock;
    this.#record = record;
  }

  note(attempt: Omit<RefusedAttempt, "unrecorded">): void {
    const unrecorded = this.#take(`principal ${attempt.principal}`);
    if (unrecorded !== undefined) this.#record.refused({ ...attempt, unrecorded });
  }

  noteRejection(failure: Omit<FailedAuthentication, "unrecorded">): void {
    const unrecorded = this.#take(`door ${failure.door}`);
    if (unrecorded !== undefined) this.#record.rejected({ ...failure, unrecorded });
  }

  /** Number of notes that were skipped before this one; undefined if this one must be skipped too. */
  #take(key: string): number | undefined {
    const count = this.#countOf(key);
    if (count.noted >= noteLimits.notesMax) {
      count.skipped += 1;
      return undefined;
    }
    count.noted += 1;
    const { skipped } = count;
    count.skipped = 0;
    return skipped;
  }

  #countOf(key: string): Count {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#counts.get(key);
    if (known !== undefined && nowMs - known.sinceMs < noteLimits.periodMs) return known;
    if (this.#counts.size >= noteLimits.principalsMax) this.#counts.clear();
    const count = { sinceMs: nowMs, noted: 0, skipped: known?.skipped ?? 0 };
    this.#counts.set(key, count);
    return count;
  }
}
