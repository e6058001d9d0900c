import type { Allowance } from "@holdfast/sdk/contract";

/** A token as the gate sees it. */
export interface KnownToken {
  readonly principal: string;
  readonly allow: readonly Allowance[];
  /** In the time of the engine. */
  readonly expiresAt: number;
}

/** Something that was granted, or is waited for. */
export interface Owned {
  readonly owner: string;
  readonly paths: readonly string[];
}

/**
 * What the gate has to know of the state that it stands in front of. All of it is looked up in memory, at the time of
 * the question: what was revoked is revoked at once.
 */
export interface Lookups {
  /** False while the state is being folded again: then nobody can be told what they may do. */
  isReady(): boolean;
  /** Learns what other nodes have written; false if there are none. */
  refresh(): Promise<boolean>;
  /** The time of the engine. */
  now(): number;
  /** The position of the last entry. */
  position(): number;
  token(digest: string): KnownToken | undefined;
  grant(fence: string): Owned | undefined;
  /** A ticket that waits; one that was granted is found by its fence only. */
  ticket(ticket: string): Owned | undefined;
  /** How many agents there are, and how many of them a principal has registered. */
  agentTotal(): number;
  agentCount(principal: string): Promise<number>;
  /** Calls back whenever a token may be one no more. Returns the way to stop. */
  onTokensChanged(callback: () => void): () => void;
  /** Who registered an agent. */
  principalOf(agent: string): string | undefined;
}
