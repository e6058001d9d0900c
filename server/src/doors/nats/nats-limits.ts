import type { BackoffBounds } from "@holdfast/sdk/base/backoff-ms";

/** The limits of the NATS door. Only tests change them, to run faster. */
export interface NatsLimits {
  /** Maximum consumed commands without an answer. The other commands wait in the stream. */
  readonly inFlightMax: number;
  /** Maximum unacknowledged deliveries to all runtimes together. */
  readonly ackPendingMax: number;
  /** Time without an acknowledgement after which the nats-server redelivers a command. */
  readonly ackWaitMs: number;
  /** Maximum time to decide a command; afterwards it is redelivered. It is less than ackWaitMs. */
  readonly deadlineMs: number;
  /** Maximum deliveries of an unreadable command; the last one parks it. */
  readonly deliveriesMax: number;
  /** Delay of the first redelivery of an unreadable command; it doubles with each delivery. */
  readonly redeliveryMs: number;
  /** Maximum events in flight to the stream. */
  readonly publishAhead: number;
  /** Timeout of the acknowledgement of an event. */
  readonly publishTimeoutMs: number;
  /** Interval at which a standby runtime checks whether another runtime still publishes. */
  readonly standbyPollMs: number;
  /** Delay between attempts to reach the server. */
  readonly backoff: BackoffBounds;
  /** Maximum messages of other programs to skip in a search for the last event of Holdfast. */
  readonly foreignMessagesMax: number;
  /** Maximum time to wait until the event of an erasure is in the stream, and the poll interval. */
  readonly erasureWaitMs: number;
  readonly erasurePollMs: number;
  /** Maximum messages in flight while the event stream is read for an erasure. */
  readonly scanAhead: number;
  /** Maximum size of an event stream that Holdfast creates. The journal keeps all events; the stream is for readers. */
  readonly eventBytesMax: number;
}

export const natsLimits: NatsLimits = {
  inFlightMax: 512,
  ackPendingMax: 2_000,
  ackWaitMs: 30_000,
  deadlineMs: 20_000,
  deliveriesMax: 5,
  redeliveryMs: 1_000,
  publishAhead: 64,
  publishTimeoutMs: 5_000,
  standbyPollMs: 1_000,
  backoff: { baseMs: 100, capMs: 5_000 },
  foreignMessagesMax: 10_000,
  erasureWaitMs: 5_000,
  erasurePollMs: 20,
  scanAhead: 5_000,
  eventBytesMax: 1024 ** 3,
};
