import type { Entry } from "../machine/entry.ts";

/** The last entry: its position, the hash of its batch, and its time. Position 0 is the empty journal. */
export interface Head {
  readonly position: number;
  readonly hash: string;
  readonly time: number;
}

/** A batch ready to be appended: `lines` is what is stored, `head` is the journal's head once it is in. */
export interface SealedBatch {
  readonly after: Head;
  readonly head: Head;
  readonly entries: readonly Entry[];
  readonly lines: string;
}
