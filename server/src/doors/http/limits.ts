/** The bounds that tests make smaller, since the real ones take longer than a test should. */
export type ClientLimits = Pick<
  { [Name in keyof typeof httpLimits]: number },
  "headersMs" | "requestMs" | "checkEveryMs"
>;

/** What one caller may ask of the door, before anybody looks at who it is. */
export const httpLimits = {
  bodyBytesMax: 1_048_576,
  headerBytesMax: 16_384,
  /** A client that sends its request byte by byte is cut off. Answers that take long are not meant. */
  headersMs: 10_000,
  requestMs: 30_000,
  /** How often these two are looked at: by so much a slow client may exceed them. */
  checkEveryMs: 5_000,
  keepAliveMs: 72_000,
  connectionsMax: 4_096,
  requestsPerConnectionMax: 100_000,
  /** When the door closes, whoever does not take its answer for so long is cut off. */
  closeMs: 5_000,
  /** `Prefer: wait` is honoured up to so many seconds. */
  waitSecondsMax: 60,
  /** A reader of events that takes nothing for so long is cut off: its kernel's buffers are full, or it is gone. */
  stalledMs: 30_000,
  heartbeatMs: 15_000,
  /** Events that follow each other within this time travel together. */
  gatherMs: 20,
} as const;
