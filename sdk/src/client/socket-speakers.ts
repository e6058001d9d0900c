import { socketAgentsMax } from "../contract/socket-protocol.ts";

/** An agent that may speak over a connection, under a number. */
export interface SocketSpeaker {
  readonly as: number;
  readonly agent: string;
  readonly secret: string | undefined;
  /** Calls in its name that have no reply yet. */
  callCount: number;
}

/**
 * Who speaks over one connection. The server knows so many numbers and no more; so one whose agent waits for nothing is
 * given to another when there is none left, first that of whoever has been silent longest. Over its life a connection
 * carries any number of agents, and nobody has to say that one has ended.
 */
export class SocketSpeakers {
  readonly #max: number;
  /** By agent and then by secret: one that resumed has another. */
  readonly #speakers = new Map<string, Map<string | undefined, SocketSpeaker>>();
  /** Those who wait for no reply, the longest silent first. */
  readonly #silent = new Set<SocketSpeaker>();
  #count = 0;

  constructor(max = socketAgentsMax) {
    this.#max = max;
  }

  /** Counts a call; undefined if it must wait until one of the others is answered. `isNew`: the server must be told first. */
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

  /** A call has its reply, or nobody waits for it any more. */
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
