/** The limits of checks. Each prevents one caller or one check from affecting all others. */
export const checkLimits = {
  /** Maximum checks of one agent in the thread. Its others wait. */
  perAgentMax: 4,
  /** Maximum checks that are not finished. Above it, "overloaded" is better for a caller than a timeout. */
  waitingMax: 1_000,
  /** Maximum rows and bytes of a slice of a unit that is loaded. */
  sliceRows: 200,
  sliceBytes: 256 * 1024,
  /** Maximum bytes of the rows of all loaded units. The units that were not used for the longest time are unloaded. */
  loadedBytesMax: 256 * 1024 * 1024,
  /** Maximum heap of the thread, in MB. */
  heapMbMax: 1_024,
  /** Interval after which the thread reads its messages, and time after which a long check lets others proceed. */
  turnMs: 5,
  yieldAfterMs: 50,
  /** Maximum processor time of the thread until a cancelled check stops. Beyond it the thread is stuck, and is ended. */
  cancelMs: 1_000,
  /** Interval between two measurements of that time, and maximum wall time, for a thread that gets no processor. */
  cancelLookMs: 250,
  cancelWallMs: 20_000,
  /** Maximum rounds of checking for one command. */
  roundsMax: 8,
} as const;
