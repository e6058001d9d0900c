import type { Head } from "./sealed-batch.ts";

/** Saved state: what the fold of the journal came to at a position. */
export interface CheckpointHeader {
  /** The end of a batch; a checkpoint whose head is not in the journal any more is never used. */
  readonly head: Head;
  /** The number of the rules in force after that position. A build that does not know them can't use it. */
  readonly rules: number;
  /** The hash of all rows, so that a checkpoint proves itself when it is loaded. */
  readonly stateHash: string;
}

/** A checkpoint in a store that keeps several versions of a row. A checkpoint sees versions up to its generation. */
export interface StoredCheckpoint extends CheckpointHeader {
  readonly generation: number;
}

/** A row as it is written down: JSON text, or nothing for a row that is gone. */
export interface CheckpointRow {
  readonly table: string;
  readonly key: string;
  readonly line: string | undefined;
}

/** Some stores answer at once, others over a network. */
export type Awaitable<Value> = Value | Promise<Value>;

/** A checkpoint that is being written, in slices, while commands go on. Nothing of it is there before `commit`. */
export interface CheckpointDraft {
  /** Rows that changed since the newest checkpoint. A slice takes a few milliseconds at most. */
  write(rows: readonly CheckpointRow[]): Awaitable<void>;
  /** Makes it the newest; the one that was the newest is kept as the previous. */
  commit(facts: CheckpointHeader): Awaitable<void>;
  abandon(): Awaitable<void>;
}

/**
 * Where a journal keeps checkpoints. They are folds and can be dropped: the journal is the truth. A draft is one
 * transaction, so a torn checkpoint can't exist; only what changed is written; the previous one is kept, in case the
 * newest turns out to be bad.
 */
export interface CheckpointStore {
  /** The newest first; at most two. */
  list(): Awaitable<readonly CheckpointHeader[]>;
  /** All rows of one of them, in slices. */
  rows(facts: CheckpointHeader): Iterable<readonly CheckpointRow[]> | AsyncIterable<readonly CheckpointRow[]>;
  /**
   * Starts one that builds on the newest, which must have this head (none: there is none yet). Undefined if it is
   * another by now, or is just being made: somebody else saves here, and changes on top of the wrong state would be no
   * state at all.
   */
  begin(base: Head | undefined): Awaitable<CheckpointDraft | undefined>;
  /** Forgets all checkpoints, so that the next one is whole. */
  clear(): Awaitable<void>;
}

/** A store that never makes anybody wait. */
export interface SyncCheckpointStore extends CheckpointStore {
  list(): readonly CheckpointHeader[];
  rows(facts: CheckpointHeader): Iterable<readonly CheckpointRow[]>;
  begin(base: Head | undefined): SyncCheckpointDraft | undefined;
  clear(): void;
}

export interface SyncCheckpointDraft extends CheckpointDraft {
  write(rows: readonly CheckpointRow[]): void;
  commit(facts: CheckpointHeader): void;
  abandon(): void;
}
