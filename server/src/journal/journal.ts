/**
 * The journal port: a gapless, hash-chained list of entries. It orders and keeps; it never decides.
 *
 * What every journal guarantees:
 * - Appended means durable. A batch is there whole or not at all, also after a kill at any moment.
 * - A batch is accepted only after its exact predecessor, position **and** hash: a node whose history no longer
 *   exists is told so ("diverged"), and never writes on top of somebody else's.
 * - Positions have no gaps; time is a whole number of milliseconds and does not go back.
 * - Reading returns entries in order and checks the chain. A damaged batch is an error, never a shorter answer.
 * - `findKeys` and `findSubject` answer from an index that is itself a fold of the entries and can be rebuilt.
 *
 * Failure rules: `append` throws a JournalError. `certain: true` says that nothing was written; otherwise the batch
 * may be in the journal, or may still get there, and the caller must look for its command ids before anything else.
 */
import type { Entry } from "../machine/entry.ts";
import type { CheckpointStore, SyncCheckpointStore } from "./checkpoint.ts";
import type { ErasureMark } from "./erasure-mark.ts";
import type { Head, SealedBatch } from "./sealed-batch.ts";

export type { PayloadErasure, ErasureMark } from "./erasure-mark.ts";
export type { Head } from "./sealed-batch.ts";

export type AppendResult =
  | { readonly kind: "appended" }
  /** Others appended after our predecessor: read on from it. A distant store tells what was missed in the same answer. */
  | { readonly kind: "behind"; readonly missed?: FollowedPage }
  /** Our predecessor is not in this history: drop the state and load again. */
  | { readonly kind: "diverged" }
  /** One of the keys that nobody should have used may have been: look them up, and decide again. */
  | { readonly kind: "used" };

export interface FollowedPage {
  readonly kind: "followed";
  readonly entries: readonly Entry[];
  readonly head: Head;
  /** There was nothing beyond this head; a store that does not know it for nothing leaves it out. */
  readonly isLast?: true;
}

export type FollowResult =
  /** Whole batches, in order, and the head that they lead to. No entries: the head given is still the head. */
  | FollowedPage
  /** The head given is not in this history. */
  | { readonly kind: "diverged" };

export interface PageLimit {
  readonly entries: number;
  readonly bytes: number;
}

export interface SubjectQuery {
  readonly subject: string;
  /** Only positions above this one. */
  readonly after?: number;
  /** Only positions below this one. */
  readonly before?: number;
  readonly order: "oldest-first" | "newest-first";
  readonly limit: number;
}

export interface ArchiveResult {
  /** Everything up to here is archived now. */
  readonly to: number;
  readonly batchCount: number;
  readonly segmentCount: number;
}

/**
 * What a journal offers that several nodes share. Whoever is slower would lose every race for the head, so nodes that
 * meet each other there take turns.
 */
export interface NodeCoordination {
  /**
   * Waits for the turn. Until `endTurn` the others append nothing. A turn is good manners and no guard: a node that sleeps
   * in it loses it after half a second, and whether a batch follows its predecessor is looked at in the append.
   */
  takeTurn(): Promise<void>;
  /** Gives the turn to whoever waits, also while this node still waits for it. */
  endTurn(): Promise<void>;
  /**
   * For each key scope the position of the entry that used it first, as far as this node remembers; `append` looks for the
   * rest. Undefined if it does not remember all of the latest entries up to this head.
   */
  findKeysInMemory(scopes: readonly string[], at: Head): readonly (number | undefined)[] | undefined;
  /** How many of the nodes come before this one when all have the same to do. A hint: two may have the same rank. */
  rank(): number;
  /** What was heard last of the journal and of the other nodes. */
  clusterStatus(): ClusterStatus;
  /** Calls back whenever something was heard. Returns the way to stop. */
  onClusterStatus(listener: (heard: ClusterStatus) => void): () => void;
}

/** News of a shared journal. It is about a second old at most, while the journal can be reached. */
export interface ClusterStatus {
  /** When it was heard, on the monotonic clock. */
  readonly observedAtMs: number;
  /** The position of the newest entry then. */
  readonly position: number;
  /** How many nodes were there, this one included. */
  readonly nodeCount: number;
  /** The newest rules that each of them carries. */
  readonly commonRules: number;
  /** Why nothing was heard since, if it was tried in vain. */
  readonly errorCode: string | undefined;
}

export interface Journal {
  /** The head as this journal sees it now. */
  head(): Promise<Head>;
  /**
   * Appends a batch. `unproven` are key scopes that this node does not remember, so that nobody must have used them before:
   * a shared journal looks, and writes nothing if somebody has. So a key costs no question of its own.
   */
  append(batch: SealedBatch, unproven?: readonly string[]): Promise<AppendResult>;
  /**
   * What came after a head that the caller has folded, in whole batches up to about the limit (at least one batch if
   * there is one). This is how a node catches up: the predecessor is compared by position **and** hash, so that a node
   * whose history was lost never folds somebody else's entries on top of it.
   */
  follow(after: Head, limit: PageLimit): Promise<FollowResult>;
  /** Entries after a position, oldest first; at least one if there is one, whatever the limit. */
  read(after: number, limit: PageLimit): Promise<readonly Entry[]>;
  /** The entries at these positions, in the order asked. A position that has no entry is an error ("invalid"). */
  readAt(positions: readonly number[]): Promise<readonly Entry[]>;
  /** For each key scope the position of the entry that used it first. */
  findKeys(scopes: readonly string[]): Promise<readonly (number | undefined)[]>;
  /** Positions of entries with an event about this subject, each once. */
  findSubject(query: SubjectQuery): Promise<readonly number[]>;
  /** The same at once, if the store has all of the answer in memory; otherwise, and where it is missing, ask the other. */
  findSubjectInMemory?(query: SubjectQuery): readonly number[] | undefined;
  /** There if several nodes may share the journal. */
  readonly coordination?: NodeCoordination;
  /** Where the state is saved from time to time. */
  readonly checkpoints: CheckpointStore;
  /**
   * Removes the payload of an entry for good: its input, its outcome's data and its events' data. Header, chain and
   * position stay; the entry is then read as erased by the entry at `by`. Idempotent: if it failed half-way, as it does
   * where somebody is reading ("busy"), asking again does what is missing, and only then it succeeds.
   */
  erase(position: number, by: number): Promise<void>;
  /** How far erasures are carried out, as it was noted last; from the beginning, if it never was. */
  erasureMark(): Promise<ErasureMark>;
  /** Notes how far. If the journal goes back, so does what was noted. */
  setErasureMark(mark: ErasureMark): Promise<void>;
  /** Moves whole batches that end at or below a position out of the way. They can still be read, only more slowly. */
  archive(to: number): Promise<ArchiveResult>;
  /**
   * Why tokens of this journal's past may also be in use for another future: it was restored from a backup, or its
   * folder was copied. The epoch must be raised by an entry before anything else is decided. Where this can happen
   * underneath a node, the call that notices it does nothing else, and fails for certain or says "behind".
   */
  readonly forkReason: string | undefined;
  /** The epoch was raised, durably. */
  settleFork(): Promise<void>;
  /** Calls back when somebody else may have appended. A hint: it may come late, twice or never. Returns the way to stop. */
  onWake(listener: () => void): () => void;
  /** Idempotent. Everything appended stays. */
  close(): Promise<void>;
}

/** A journal in this process: its checkpoints are at hand. */
export interface LocalJournal extends Journal {
  readonly checkpoints: SyncCheckpointStore;
}

export type JournalErrorCode =
  | "full"
  | "io"
  | "read_only"
  | "busy"
  | "damaged"
  | "owned"
  /** The entry is in an archive segment that is not there any more. */
  | "archived"
  | "closed"
  /** The store has a format, a space or settings that this version can not work with. */
  | "unsupported"
  /** The caller asked for what can not be: a batch that does not fit, a position without an entry. Never try again. */
  | "invalid";

export class JournalError extends Error {
  readonly code: JournalErrorCode;
  /** True if nothing was written, for certain. */
  readonly certain: boolean;
  /** The first position that is damaged, where that is what happened. */
  readonly position: number | undefined;

  constructor(
    code: JournalErrorCode,
    message: string,
    options: { certain: boolean; cause?: unknown; position?: number },
  ) {
    super(message, { cause: options.cause });
    this.name = "JournalError";
    this.code = code;
    this.certain = options.certain;
    this.position = options.position;
  }
}
