import type { CallOptions } from "@holdfast/sdk";

/**
 * The digest that the secret of an agent was found to match. While the agent keeps it, further calls need no hash, which
 * costs more than all other checks of a call. The secret itself is not part of it.
 */
interface AgentProof {
  secretHash?: string;
}

/** The options of a call from a door. */
export interface DoorCallOptions extends CallOptions {
  /** Approximate bytes of the input as text. They count against the limits of the queue and of a batch. */
  readonly inputBytes: number;
  /**
   * Refuses a change of an entity that expects neither a version nor a revision. The refusal is never recorded, so this
   * is not part of the entry.
   */
  readonly mustExpect?: boolean;
  /**
   * Makes the signal that aborts when the caller disconnects. Only a call that runs a check asks for it, so other calls
   * cost no signal.
   */
  readonly hangUp?: () => AbortSignal;
  /** Present if the door sends many calls of one agent with one secret. See AgentProof. */
  readonly agentProof?: AgentProof;
  /** The door carries binary bodies and streams. */
  readonly carriesStreams?: true;
}
