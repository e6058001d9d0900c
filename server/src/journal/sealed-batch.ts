import type { Entry } from "../machine/entry.ts";

/** The end of a batch: the position of its last entry, and its hash. The next batch chains to it. */
export interface BatchEnd {
  readonly position: number;
  readonly hash: string;
}

/** The end of the last batch, and the time of its last entry. Position 0 is the empty journal. */
export interface Head extends BatchEnd {
  readonly time: number;
}

/** A batch ready to be appended. `lines` is the stored text. `head` is the journal's head after the append. */
export interface SealedBatch {
  readonly after: Head;
  readonly head: Head;
  readonly entries: readonly Entry[];
  readonly lines: string;
}
