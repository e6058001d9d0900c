import { frameBytesMax, socketAgentsMax } from "@holdfast/sdk/contract";

/** What one socket may cost. Over a bound it waits, or is told, or is closed; nobody else notices. */
export interface SocketLimits {
  /** Bytes of one frame. */
  readonly frameBytesMax: number;
  /** Calls that are being answered; while there are so many nothing more is read. */
  readonly callsMax: number;
  /** Bytes that wait to be taken; over it nothing more is read, and events wait in the journal. */
  readonly bufferedBytesMax: number;
  /** How long a socket may be over that bound. */
  readonly stalledMsMax: number;
  /** Watches that look at every event. */
  readonly watchesMax: number;
  /** Watches of what concerns one owner, and listening. Each costs something only when something does. */
  readonly ownerWatchesMax: number;
  /** Agents that speak through one socket. */
  readonly agentsMax: number;
  /** Frames that were not understood. */
  readonly malformedMax: number;
  readonly helloMsMax: number;
  /** How long a stop waits for a socket to be answered and to close, before it is cut off. */
  readonly goodbyeMsMax: number;
  /** A socket is asked for a sign of life so often, and closed if it gives none until the next time. */
  readonly pingEveryMs: number;
  /** Events that follow each other closely are sent together, so far apart. */
  readonly eventsEveryMs: number;
  readonly socketsMax: number;
}

export const defaultSocketLimits: SocketLimits = {
  frameBytesMax,
  callsMax: 1_024,
  bufferedBytesMax: 1_048_576,
  stalledMsMax: 15_000,
  watchesMax: 256,
  // Each agent may watch, and listen.
  ownerWatchesMax: 2 * socketAgentsMax,
  agentsMax: socketAgentsMax,
  malformedMax: 5,
  helloMsMax: 10_000,
  goodbyeMsMax: 2_000,
  pingEveryMs: 20_000,
  eventsEveryMs: 10,
  socketsMax: 4_096,
};
