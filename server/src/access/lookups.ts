import type { Allowance, TouchedRef } from "@holdfast/sdk/contract";

/** A token as the gate knows it. */
export interface KnownToken {
  readonly principal: string;
  readonly allow: readonly Allowance[];
  /** In engine time. */
  readonly expiresAt: number;
}

/** A grant or a ticket. */
export interface OwnedPaths {
  readonly owner: string;
  readonly paths: readonly string[];
}

/**
 * The gate's queries of the state. Each is a look-up in memory at the time of the call, so a revocation applies at
 * once.
 */
export interface Lookups {
  /** False while the state is being folded again: rights are then unknown. */
  isReady(): boolean;
  /** Catches up with other nodes. False if there are none. */
  refresh(): Promise<boolean>;
  /** The engine's time. */
  now(): number;
  /** Position of the last entry. */
  position(): number;
  token(digest: string): KnownToken | undefined;
  grant(fence: string): OwnedPaths | undefined;
  /** A queued ticket. A granted one is found only by its fence. */
  ticket(ticket: string): OwnedPaths | undefined;
  /** Number of all agents, and of those that a principal registered. */
  agentTotal(): number;
  agentCount(principal: string): Promise<number>;
  /** Calls back when a token may have become invalid. Returns the function to unsubscribe. */
  onTokensChanged(callback: () => void): () => void;
  /** The paths of a thing with an id. None if it does not exist. */
  pathsOf(ref: TouchedRef): readonly string[];
  /** The principal of an owner that has a lock or a ticket. */
  ownerPrincipal(owner: string): string | undefined;
  /** The principal that registered an agent. */
  principalOf(agent: string): string | undefined;
}
