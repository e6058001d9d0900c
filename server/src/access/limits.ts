/**
 * Limits of one caller. The engine bounds its queue and shares it fairly, and each door bounds its connections. These
 * limits prevent one principal, or one faulty program, from using all resources.
 */
export interface AccessLimits {
  /** Maximum calls per second of one agent, or of a connection without an agent. */
  readonly callsPerSecond: number;
  /** Maximum calls per second of all tokens of one principal. */
  readonly principalCallsPerSecond: number;
  /** Maximum watches of one principal, event streams and long polls included. */
  readonly watchesMax: number;
  /** Maximum registered agents of one principal. */
  readonly agentsMax: number;
  /** Maximum watches of one connection without a token. All these connections have one principal. */
  readonly connectionWatchesMax: number;
  /** Maximum registered agents of one connection without a token. */
  readonly connectionAgentsMax: number;
  /** Maximum connections of one address. */
  readonly connectionsPerAddressMax: number;
  /** Maximum connections of all addresses. */
  readonly connectionsMax: number;
}

export const defaultAccessLimits: AccessLimits = {
  callsPerSecond: 50_000,
  principalCallsPerSecond: 100_000,
  watchesMax: 10_000,
  agentsMax: 10_000,
  connectionWatchesMax: 4_096,
  connectionAgentsMax: 2_048,
  connectionsPerAddressMax: 2_048,
  connectionsMax: 4_096,
};
