/** The limits of the engine. Each prevents one caller, one batch or one failure from affecting all others. */
export const engineLimits = {
  /** Maximum commands, bytes and decision time of a batch. A larger batch would delay all commands in it. */
  batchCommandsMax: 1_000,
  batchBytesMax: 4 * 1024 * 1024,
  batchDecideMs: 10,
  /** Maximum commands and bytes in the queue. Above it, "overloaded" is better for a caller than a timeout. */
  queueCommandsMax: 20_000,
  queueBytesMax: 64 * 1024 * 1024,
  /** Default time that a command may wait for its decision. */
  deadlineMs: 30_000,
  /** Maximum entries and bytes in memory, so that live subscribers do not read from disk. */
  recentEntriesMax: 4_096,
  recentBytesMax: 16 * 1024 * 1024,
  /** Maximum entries and bytes of a page for a subscriber or a catch-up. */
  pageEntriesMax: 1_000,
  pageBytesMax: 4 * 1024 * 1024,
  /** Duration of the grace period. See grace-period.ts. */
  graceMs: 10_000,
  /** Minimum duration of a stall that restarts the grace period. */
  stallMs: 1_000,
  /** Maximum interval between two checks of the timers while a lease exists. */
  tickMs: 250,
  /** Maximum interval between two checks of the timers without a lease. */
  sleepMsMax: 60 * 60 * 1_000,
  /** Entries between two checkpoints. A start folds at most about as many. */
  checkpointEvery: 50_000,
  /** Maximum rows and bytes that are hashed or written in one slice, which takes about a millisecond. */
  checkpointSliceRows: 200,
  checkpointSliceBytes: 256 * 1024,
  /** Rows that are processed per entry that is appended in the meantime. Most entries change one or two rows. */
  checkpointPace: 3,
  /** Minimum number of unsaved entries at which a stop saves a checkpoint. */
  checkpointAtStop: 1_000,
  /** Maximum time that a start waits for the new epoch of a restored or copied journal. */
  forkWaitMsMax: 2_000,
  /**
   * Duration of a turn at the head of a shared journal, while there are commands to append. A longer turn delays the other
   * nodes. A shorter turn spends its time on the handover. A turn covers at least `turnBatches` batches, even if they are
   * slow, because then the handover is slow as well. `turnMsMax` is the upper limit.
   */
  turnMs: 12,
  turnBatches: 3,
  turnMsMax: 250,
  /** Number of turns without entries of another node after which this node appends without turns. */
  quietTurnsMax: 16,
  /** Delay per rank before a node acts on a due timer. Nodes that share a journal act in the order of their ranks. */
  rankDelayMs: 500,
  /** Maximum time that a reader waits for a refresh of the head of a shared journal. */
  refreshMsMax: 5_000,
  /** Maximum age of the cluster status, and maximum lag in entries, of a node that is ready. */
  statusAgeMsMax: 5_000,
  lagEntriesMax: 10_000,
  /** Maximum time to wait until another node removes an erased payload from the event stream, and the poll interval. */
  copiesWaitMsMax: 5_000,
  copiesPollMs: 50,
  /** The first and the longest delay between attempts while the journal fails. */
  retryFirstMs: 50,
  retryMaxMs: 2_000,
} as const;
