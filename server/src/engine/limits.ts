/** The engine's bounds. Each keeps one caller, one batch or one bad moment from hurting all the others. */
export const engineLimits = {
  /** A batch: more commands, bytes or deciding time would make everybody in it wait. */
  batchCommandsMax: 1_000,
  batchBytesMax: 4 * 1024 * 1024,
  batchDecideMs: 10,
  /** Commands that wait to be decided. Over it, "overloaded" is kinder than a time-out. */
  queueCommandsMax: 20_000,
  queueBytesMax: 64 * 1024 * 1024,
  /** How long a command waits to be decided if its caller does not say. */
  deadlineMs: 30_000,
  /** Entries kept in memory, so that live subscribers do not read from disk. */
  recentEntriesMax: 4_096,
  recentBytesMax: 16 * 1024 * 1024,
  /** A page of entries for a subscriber or a catch-up. */
  pageEntriesMax: 1_000,
  pageBytesMax: 4 * 1024 * 1024,
  /** See grace.ts. */
  graceMs: 10_000,
  stallMs: 1_000,
  tickMs: 250,
  /** The state is saved when so many entries have come since the last time; a start folds at most about as many. */
  checkpointEvery: 50_000,
  /** Rows that are hashed or written at a time, between other work: about a millisecond. */
  checkpointSliceRows: 200,
  /** Rows that are dealt with for each entry that is appended meanwhile; most entries change one row or two. */
  checkpointPace: 3,
  /** At a stop the state is saved if the next start would otherwise fold more entries than this. */
  checkpointAtStop: 1_000,
  /** How long a start waits for the new epoch of a restored or copied journal. */
  forkPatienceMs: 2_000,
  /**
   * A turn at the head of a shared journal, if there is enough to append: longer ones make others wait, shorter ones are
   * spent on handing over. It has a few batches even if these are slow, since then handing over is slow as well.
   */
  turnMs: 12,
  turnBatches: 3,
  turnMsMax: 250,
  /** After so many turns without an entry of another node this one appends without taking turns. */
  quietTurnsMax: 16,
  /** Nodes that share a journal act on what is due one after the other, in the order of their ranks. */
  rankDelayMs: 500,
  /** So long a reader of the latest waits for a look at the head of a shared journal. */
  latestMs: 5_000,
  /** A node that hears nothing of its shared journal for so long, or is so far behind, is not ready. */
  silenceMsMax: 5_000,
  lagEntriesMax: 10_000,
  /** The first and the longest delay between attempts while the journal fails. */
  retryFirstMs: 50,
  retryMaxMs: 2_000,
} as const;
