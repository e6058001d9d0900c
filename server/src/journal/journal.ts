/**
 * The journal port: a gapless, hash-chained list of entries. A journal orders and stores entries. It never decides.
 *
 * ## Guarantees of every journal
 *
 * - Appended means durable. A batch is stored whole or not at all, also after a kill at any moment.
 * - A journal accepts a batch only after its exact predecessor, by position **and** hash. A node whose history was lost
 *   gets "diverged" and never appends to the history of another node.
 * - Positions have no gaps. Time is a whole number of milliseconds and never decreases.
 * - Reads return entries in order and verify the chain. A damaged batch is an error, never a shorter answer.
 * - `findKeys` and `findSubject` use an index that is itself a fold of the entries and can be rebuilt.
 *
 * ## Failures of `append`
 *
 * `append` throws a JournalError. `certain: true` means that nothing was written. Otherwise the batch may be in the
 * journal, or may still arrive. The caller must then search the journal for its command ids before it decides anything.
 */
import type { Entry } from "../machine/entry.ts";
import type { CheckpointStore, SyncCheckpointStore } from "./checkpoint.ts";
import type { ErasureMark } from "./erasure-mark.ts";
import type { Head, SealedBatch } from "./sealed-batch.ts";

export type { PayloadErasure, ErasureMark } from "./erasure-mark.ts";
export type { Head } from "./sealed-batch.ts";

export type AppendResult =
  | { readonly kind: "appended" }
  /** Another node appended after our predecessor. A remote store returns the missed entries in the same answer. */
  | { readonly kind: "behind"; readonly missed?: FollowedPage }
  /** Our predecessor is not in this history. The caller drops its state and loads again. */
  | { readonly kind: "diverged" }
  /** An earlier entry may have used one of the `unproven` keys. The caller looks them up and decides again. */
  | { readonly kind: "used" };

export interface FollowedPage {
  readonly kind: "followed";
  readonly entries: readonly Entry[];
  readonly head: Head;
  /** The journal ends at this head. A store that would need another query to know this omits it. */
  readonly isLast?: true | undefined;
}

export type FollowResult =
  /** Whole batches, in order, and the head that they lead to. Without entries, the given head is the journal's head. */
  | FollowedPage
  /** The given head is not in this history. */
  | { readonly kind: "diverged" };

export interface PageLimit {
  readonly entries: number;
  readonly bytes: number;
}

export interface SubjectQuery {
  readonly subject: string;
  /** Only positions above this one. */
  readonly after?: number | undefined;
  /** Only positions below this one. */
  readonly before?: number | undefined;
  readonly order: "oldest-first" | "newest-first";
  readonly limit: number;
}

export interface ArchiveResult {
  /** Everything up to this position is archived. */
  readonly to: number;
  readonly batchCount: number;
  readonly segmentCount: number;
}

/**
 * Operations of a journal that several nodes share. A slower node would lose every race for the head, so nodes that
 * compete for it take turns.
 */
export interface NodeCoordination {
  /**
   * Waits for the turn: the right to append next. Until `endTurn` the other nodes append nothing. A turn is advisory. A
   * node that sleeps during its turn loses it after half a second. The append itself checks the predecessor.
   */
  takeTurn(): Promise<void>;
  /** Passes the turn to the next waiting node. It also cancels a `takeTurn` of this node that still waits. */
  endTurn(): Promise<void>;
  /**
   * Returns for each key scope the position of the entry that used it first, if the index in memory holds it. `append`
   * checks the other keys. Returns undefined if the index in memory does not end at this head.
   */
  findKeysInMemory(scopes: readonly string[], at: Head): readonly (number | undefined)[] | undefined;
  /** The number of nodes that act on a timer before this one. A hint: two nodes may have the same rank. */
  rank(): number;
  /** The result of the last successful poll of the journal and its nodes. */
  clusterStatus(): ClusterStatus;
  /** Calls back after each successful poll. Returns a function that unsubscribes. */
  onClusterStatus(listener: (status: ClusterStatus) => void): () => void;
}

/** The state of a shared journal and its nodes. It is at most about a second old while the journal is reachable. */
export interface ClusterStatus {
  /** Time of the poll, on the monotonic clock. */
  readonly observedAtMs: number;
  /** The position of the newest entry at that time. */
  readonly position: number;
  /** The number of nodes, including this one. */
  readonly nodeCount: number;
  /** The newest rules that every node supports. */
  readonly commonRules: number;
  /** The code of the last poll's error, if it failed. */
  readonly errorCode: string | undefined;
}

export interface Journal {
  /** The current head. */
  head(): Promise<Head>;
  /**
   * Appends a batch. `unproven` are key scopes that the index in memory does not hold. A shared journal checks them within
   * the append and writes nothing if an earlier entry used one. A key therefore needs no query of its own.
   */
  append(batch: SealedBatch, unproven?: readonly string[]): Promise<AppendResult>;
  /**
   * Returns the entries after a head that the caller has folded, in whole batches up to about the limit. At least one
   * batch is returned if there is one. A node catches up with this call. The journal compares the head by position
   * **and** hash. So a node whose history was lost never folds entries of another history on top of its state.
   */
  follow(after: Head, limit: PageLimit): Promise<FollowResult>;
  /** Entries after a position, oldest first. At least one is returned if there is one, regardless of the limit. */
  read(after: number, limit: PageLimit): Promise<readonly Entry[]>;
  /** The entries at these positions, in the given order. A position without an entry is an error ("invalid"). */
  readAt(positions: readonly number[]): Promise<readonly Entry[]>;
  /** Returns for each key scope the position of the entry that used it first. */
  findKeys(scopes: readonly string[]): Promise<readonly (number | undefined)[]>;
  /** Positions of entries with an event about this subject, each once. */
  findSubject(query: SubjectQuery): Promise<readonly number[]>;
  /**
   * Answers `findSubject` synchronously if the store has the whole answer in memory. If it returns undefined or is
   * missing, use `findSubject`.
   */
  findSubjectInMemory?(query: SubjectQuery): readonly number[] | undefined;
  /** Present if several nodes may share the journal. */
  readonly coordination?: NodeCoordination;
  /** Stores the periodic checkpoints of the state. */
  readonly checkpoints: CheckpointStore;
  /**
   * Removes the payload of an entry permanently: its input, the data of its outcome and the data of its events. Header,
   * chain and position stay. Reads then return the entry as erased by the entry at `by`.
   *
   * Idempotent: the call fails half-way if another process is reading ("busy"). A retry completes the missing steps.
   */
  erase(position: number, by: number): Promise<void>;
  /** The watermark of completed erasures. The mark of a journal without one is at position 0. */
  erasureMark(): Promise<ErasureMark>;
  /** Stores the watermark of completed erasures. A restore of the journal restores the mark too. */
  setErasureMark(mark: ErasureMark): Promise<void>;
  /** Moves whole batches that end at or below a position to slower storage. They stay readable. */
  archive(to: number): Promise<ArchiveResult>;
  /**
   * The reason why tokens of this journal's past may be in use in another future. It is a restore from a backup, or a
   * copy of the folder. An entry must raise the epoch before the engine decides anything else.
   *
   * A fork can happen under a running node. The call that detects it then does nothing else. It fails with `certain:
   * true` or returns "behind".
   */
  readonly forkReason: string | undefined;
  /** True if the fork is an import whose tokens must end. The entry that raises the epoch revokes them. */
  readonly isForkImported?: boolean;
  /** Ends the fork. The entry that raised the epoch must be durable. */
  settleFork(): Promise<void>;
  /**
   * Calls back when another node may have appended. A hint: it may arrive late, twice or never. Returns a function that
   * unsubscribes.
   */
  onWake(listener: () => void): () => void;
  /** Closes the journal. Idempotent. Every appended batch stays. */
  close(): Promise<void>;
}

/** A journal in this process. Its checkpoint store is synchronous. */
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
  /** The entry is in an archive segment whose file is missing. */
  | "archived"
  | "closed"
  /** The store has a format, a space or settings that this version does not support. */
  | "unsupported"
  /** The request is impossible: a batch that does not fit, or a position without an entry. A retry never helps. */
  | "invalid";

export class JournalError extends Error {
  readonly code: JournalErrorCode;
  /** True if it is certain that nothing was written. */
  readonly certain: boolean;
  /** The first affected position of a damaged or archived entry. */
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
