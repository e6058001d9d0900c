/** Limits that tests reduce, since the real ones take longer than a test should. */
export type ClientLimits = Pick<
  { [Name in keyof typeof httpLimits]: number },
  "headersMs" | "requestMs" | "checkEveryMs"
>;

/** Limits of a request before its caller is known. */
export const httpLimits = {
  bodyBytesMax: 1_048_576,
  headerBytesMax: 16_384,
  /** Timeouts of a client that sends its request byte by byte. They do not apply to long answers. */
  headersMs: 10_000,
  requestMs: 30_000,
  /** Interval between checks of these two. A slow client may exceed them by that. */
  checkEveryMs: 5_000,
  keepAliveMs: 72_000,
  /** Maximum connections of the operator's socket. They do not count with those of TCP. */
  operatorConnectionsMax: 64,
  requestsPerConnectionMax: 100_000,
  /** Maximum time that a closing door waits for a client to read its answer. */
  closeMs: 5_000,
  /** Maximum seconds of `Prefer: wait`. */
  waitSecondsMax: 60,
  /** Maximum time that a reader of events may read nothing. Its kernel buffers are full, or it is gone. */
  stalledMs: 30_000,
  heartbeatMs: 15_000,
  /** Time within which consecutive events share a write. */
  gatherMs: 20,
} as const;
