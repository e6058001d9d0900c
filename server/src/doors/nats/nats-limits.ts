import type { BackoffBounds } from "@holdfast/sdk/base/backoff-ms";

/** The bounds of the door. They are here for tests, which can not wait; nobody else needs to change them. */
export interface NatsLimits {
  /** Commands that are taken from the stream and not answered yet. The rest waits in the stream, at no cost here. */
  readonly inFlightMax: number;
  /** What the server hands out to all runtimes together before it waits for acknowledgements. */
  readonly ackPendingMax: number;
  /** After so long without an acknowledgement a command is delivered again, to whoever asks. */
  readonly ackWaitMs: number;
  /** A command that could not be decided in this time is taken up later. It is below ackWaitMs. */
  readonly deadlineMs: number;
  /** A command that nobody can read is parked with this delivery. */
  readonly deliveriesMax: number;
  /** Until the next delivery of a command that could not be read; it doubles with each. */
  readonly redeliveryMs: number;
  /** Events that are on their way to the stream at the same time. */
  readonly publishAhead: number;
  /** How long to wait for the acknowledgement of an event. */
  readonly publishTimeoutMs: number;
  /** Whoever lost the race for the next event looks again after so long whether somebody goes on. */
  readonly standbyPollMs: number;
  /** Delay between attempts to reach the server. */
  readonly backoff: BackoffBounds;
  /** How far back the last event of Holdfast is looked for in a stream into which others publish too. */
  readonly foreignMessagesMax: number;
  /** The size of the event stream, if this is who creates it. The journal keeps everything; this is for readers. */
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
  eventBytesMax: 1024 ** 3,
};
