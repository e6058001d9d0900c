import { socketAgentsMax } from "../contract/socket-protocol.ts";

/** An agent with a number on a connection. */
export interface SocketSpeaker {
  readonly as: number;
  readonly agent: string;
  readonly secret: string | undefined;
  /** Its calls without a reply. */
  callCount: number;
}

/**
 * The agents of one connection. The server accepts a limited count of numbers. When none is left, the number of an idle
 * agent is reused, the longest idle first. So a connection can carry any number of agents over its life, and no agent
 * has to sign off.
 */
export class SocketSpeakers {
  readonly #max: number;
  /** By agent and then by secret: a resumed agent has a new secret. */
  readonly #speakers = new Map<string, Map<string | undefined, SocketSpeaker>>();
  /** Agents without pending calls, the longest idle first. */
  readonly #silent = new Set<SocketSpeaker>();
  #count = 0;

  constructor(max = socketAgentsMax) {
    this.#max = max;
  }

  /**
   * Counts a call; undefined if it must wait for a reply of another agent. `isNew`: the server must get the agent
   * first.
   */
  take(
    agent: string,
    secret: string | undefined,
  ): { readonly speaker: SocketSpeaker; readonly isNew: boolean } | undefined {
    const known = this.#speakers.get(agent)?.get(secret);
    const speaker = known ?? this.#add(agent, secret);
    if (speaker === undefined) return undefined;
    speaker.callCount += 1;
    this.#silent.delete(speaker);
    return { speaker, isNew: known === undefined };
  }

  /** A call has its reply, or its caller has given up. */
  answered(speaker: SocketSpeaker): void {
    speaker.callCount -= 1;
    if (speaker.callCount === 0) this.#silent.add(speaker);
  }

  #add(agent: string, secret: string | undefined): SocketSpeaker | undefined {
    const as = this.#count < this.#max ? this.#count : this.#free();
    if (as === undefined) return undefined;
    if (as === this.#count) this.#count += 1;
    const speaker = { as, agent, secret, callCount: 0 };
    const named = this.#speakers.get(agent) ?? new Map<string | undefined, SocketSpeaker>();
    this.#speakers.set(agent, named.set(secret, speaker));
    return speaker;
  }

  #free(): number | undefined {
    const [longest] = this.#silent;
    if (longest === undefined) return undefined;
    this.#silent.delete(longest);
    const named = this.#speakers.get(longest.agent);
    named?.delete(longest.secret);
    if (named?.size === 0) this.#speakers.delete(longest.agent);
    return longest.as;
  }
}
