/**
 * What one caller may ask for. The engine bounds what waits in its queue and takes turns between callers, and each door
 * bounds its own connections; these bounds keep one principal, or one program that runs wild, from being all of it.
 */
export interface AccessLimits {
  /** Calls of one agent, or of a connection on which no agent speaks. */
  readonly callsPerSecond: number;
  /** Calls of all who come with tokens of one principal. */
  readonly principalCallsPerSecond: number;
  /** Watches of one principal, event streams and long polls included. */
  readonly watchesMax: number;
  /** Agents that one principal may have registered. */
  readonly agentsMax: number;
  /** Connections from one address. */
  readonly connectionsPerAddressMax: number;
}

export const defaultAccessLimits: AccessLimits = {
  callsPerSecond: 50_000,
  principalCallsPerSecond: 100_000,
  watchesMax: 10_000,
  agentsMax: 10_000,
  connectionsPerAddressMax: 2_048,
};
