import { socketAgentsMax } from "../contract/socket-protocol.ts";

/** An agent with a number on a connection. */
export interface NumberedAgent {
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
export class AgentNumbers {
  readonly #max: number;
  /** By agent and then by secret: a resumed agent has a new secret. */
  readonly #numbered = new Map<string, Map<string | undefined, NumberedAgent>>();
  /** Agents without pending calls, the longest idle first. */
  readonly #idle = new Set<NumberedAgent>();
  #count = 0;

  constructor(max = socketAgentsMax) {
    this.#max = max;
  }

  /**
   * Counts a call. Undefined if it must wait for a reply of another agent. `isNew`: the server must get the agent
   * first.
   */
  assign(
    agent: string,
    secret: string | undefined,
  ): { readonly numbered: NumberedAgent; readonly isNew: boolean } | undefined {
    const known = this.#numbered.get(agent)?.get(secret);
    const numbered = known ?? this.#add(agent, secret);
    if (numbered === undefined) return undefined;
    numbered.callCount += 1;
    this.#idle.delete(numbered);
    return { numbered, isNew: known === undefined };
  }

  /** A call has its reply, or its caller has given up. */
  answered(numbered: NumberedAgent): void {
    numbered.callCount -= 1;
    if (numbered.callCount === 0) this.#idle.add(numbered);
  }

  #add(agent: string, secret: string | undefined): NumberedAgent | undefined {
    const as = this.#count < this.#max ? this.#count : this.#free();
    if (as === undefined) return undefined;
    if (as === this.#count) this.#count += 1;
    const numbered = { as, agent, secret, callCount: 0 };
    const bySecret = this.#numbered.get(agent) ?? new Map<string | undefined, NumberedAgent>();
    this.#numbered.set(agent, bySecret.set(secret, numbered));
    return numbered;
  }

  #free(): number | undefined {
    const [longestIdle] = this.#idle;
    if (longestIdle === undefined) return undefined;
    this.#idle.delete(longestIdle);
    const bySecret = this.#numbered.get(longestIdle.agent);
    bySecret?.delete(longestIdle.secret);
    if (bySecret?.size === 0) this.#numbered.delete(longestIdle.agent);
    return longestIdle.as;
  }
}
