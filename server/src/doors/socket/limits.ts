import { frameBytesMax, socketAgentsMax } from "@holdfast/sdk/contract";

/** Limits of one socket. Beyond a limit it is paused, refused or closed, without effect on others. */
export interface SocketLimits {
  /** Maximum bytes of a frame. */
  readonly frameBytesMax: number;
  /** Maximum pending calls. Beyond it the socket is not read. */
  readonly callsMax: number;
  /** Maximum unread bytes. Beyond it the socket is not read, and events stay in the journal. */
  readonly bufferedBytesMax: number;
  /** Maximum time over that limit. */
  readonly stalledMsMax: number;
  /** Maximum watches of all events. */
  readonly watchesMax: number;
  /** Maximum watches and listeners of single owners. Each costs only when something concerns its owner. */
  readonly ownerWatchesMax: number;
  /** Maximum agents of one socket. */
  readonly agentsMax: number;
  /** Maximum malformed frames. */
  readonly malformedMax: number;
  readonly helloMsMax: number;
  /** Maximum time that a stop waits for a socket to finish and close. */
  readonly goodbyeMsMax: number;
  /** Interval between pings. A socket without a reply until the next one is closed. */
  readonly pingEveryMs: number;
  /** Minimum interval between event messages. Events within it share a message. */
  readonly eventsEveryMs: number;
  readonly socketsMax: number;
}

export const defaultSocketLimits: SocketLimits = {
  frameBytesMax,
  callsMax: 1_024,
  bufferedBytesMax: 1_048_576,
  stalledMsMax: 15_000,
  watchesMax: 256,
  // Each agent may have a watch and a listener.
  ownerWatchesMax: 2 * socketAgentsMax,
  agentsMax: socketAgentsMax,
  malformedMax: 5,
  helloMsMax: 10_000,
  goodbyeMsMax: 2_000,
  pingEveryMs: 20_000,
  eventsEveryMs: 10,
  socketsMax: 4_096,
};
