import type { Lookups } from "./lookups.ts";

/** Number of tracked agents at which ended ones are removed. */
const trackedMax = 20_000;

/**
 * The agents that each connection without a token registered. All these connections have one principal, so its limit
 * alone would let one program use up the agents of all others. Only the gate knows connections: the state has none.
 */
export class ConnectionAgents {
  readonly #lookups: Pick<Lookups, "principalOf">;
  readonly #agents = new Map<string, Set<string>>();
  #tracked = 0;
  #sweepAt = trackedMax;

  constructor(lookups: Pick<Lookups, "principalOf">) {
    this.#lookups = lookups;
  }

  add(connection: string, agent: string): void {
    if (this.#tracked >= this.#sweepAt) this.#sweep();
    const agents = this.#agents.get(connection) ?? new Set();
    if (agents.has(agent)) return;
    this.#agents.set(connection, agents.add(agent));
    this.#tracked += 1;
  }

  /** Number of live agents of a connection, exact only from `limit` on. Below it ended ones may be counted. */
  count(connection: string, limit: number): number {
    const agents = this.#agents.get(connection);
    if (agents === undefined) return 0;
    if (agents.size >= limit) this.#removeEnded(connection, agents);
    return agents.size;
  }

  get tracked(): number {
    return this.#tracked;
  }

  #removeEnded(connection: string, agents: Set<string>): void {
    for (const agent of agents) {
      if (this.#lookups.principalOf(agent) !== undefined) continue;
      agents.delete(agent);
      this.#tracked -= 1;
    }
    if (agents.size === 0) this.#agents.delete(connection);
  }

  /** The next sweep runs at twice the count, so that many live agents do not make every registration sweep. */
  #sweep(): void {
    for (const [connection, agents] of this.#agents) this.#removeEnded(connection, agents);
    this.#sweepAt = Math.max(trackedMax, this.#tracked * 2);
  }
}
