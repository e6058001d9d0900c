import type { Head } from "./sealed-batch.ts";

/** Describes a checkpoint: the saved result of the fold of the journal at a position. */
export interface CheckpointHeader {
  /** The end of a batch. A checkpoint is used only while its head is in the journal. */
  readonly head: Head;
  /** The number of the rules in force after that position. A build that does not know them cannot use the checkpoint. */
  readonly rules: number;
  /** The hash of all rows. A load compares the rows with it. */
  readonly stateHash: string;
}

/** A checkpoint in a store that keeps several versions of a row. The checkpoint includes versions up to its generation. */
export interface StoredCheckpoint extends CheckpointHeader {
  readonly generation: number;
}

/** A stored row: JSON text, or undefined for a deleted row. */
export interface CheckpointRow {
  readonly table: string;
  readonly key: string;
  readonly line: string | undefined;
}

/** Some stores answer synchronously, others over a network. */
type Awaitable<Value> = Value | Promise<Value>;

/** A checkpoint that is written in slices while the engine executes commands. It becomes visible at `commit`. */
export interface CheckpointDraft {
  /** Writes rows that changed since the newest checkpoint. A slice takes a few milliseconds at most. */
  write(rows: readonly CheckpointRow[]): Awaitable<void>;
  /** Makes this checkpoint the newest. The store keeps its base as the previous checkpoint. */
  commit(header: CheckpointHeader): Awaitable<void>;
  abandon(): Awaitable<void>;
}

/**
 * Stores the checkpoints of a journal. They are folds and may be deleted, because the journal is the truth.
 * - A commit is atomic, so a torn checkpoint cannot exist.
 * - A draft writes only the rows that changed.
 * - The store keeps the previous checkpoint in case the newest is damaged.
 */
export interface CheckpointStore {
  /** Newest first, at most two. */
  list(): Awaitable<readonly CheckpointHeader[]>;
  /** All rows of one checkpoint, in slices. */
  rows(header: CheckpointHeader): Iterable<readonly CheckpointRow[]> | AsyncIterable<readonly CheckpointRow[]>;
  /**
   * Starts a checkpoint on top of the newest one, which must have this head. Without a base, the store must be empty.
   * Returns undefined if another node has saved or is saving a checkpoint. Changes on top of the wrong base would
   * produce a wrong state.
   */
  begin(base: Head | undefined): Awaitable<CheckpointDraft | undefined>;
  /** Deletes all checkpoints, so that the next one holds every row. */
  clear(): Awaitable<void>;
}

/** A store whose calls are synchronous. */
export interface SyncCheckpointStore extends CheckpointStore {
  list(): readonly CheckpointHeader[];
  rows(header: CheckpointHeader): Iterable<readonly CheckpointRow[]>;
  begin(base: Head | undefined): SyncCheckpointDraft | undefined;
  clear(): void;
}

export interface SyncCheckpointDraft extends CheckpointDraft {
  write(rows: readonly CheckpointRow[]): void;
  commit(header: CheckpointHeader): void;
  abandon(): void;
}
