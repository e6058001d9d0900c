import type { Clock } from "../base/clock.ts";
import type { Lookups } from "./lookups.ts";

/** Maximum age of a count. Registrations that are admitted in between are added to it. */
const freshMs = 1_000;

/** Counts the agents of a principal. Counting all of them for each registration would itself overload the server. */
export class AgentCounter {
  readonly #clock: Clock;
  readonly #lookups: Lookups;
  readonly #counts = new Map<string, { count: number; atMs: number }>();

  constructor(clock: Clock, lookups: Lookups) {
    this.#clock = clock;
    this.#lookups = lookups;
  }

  /** The number of agents, exact only from `limit` on. It is at most a second old and includes admitted registrations. */
  async count(principal: string, limit: number): Promise<number> {
    const total = this.#lookups.agentTotal();
    // No principal has more agents than exist.
    if (total < limit) return total;
    const nowMs = this.#clock.monotonicMs();
    const known = this.#counts.get(principal);
    if (known !== undefined && nowMs - known.atMs < freshMs) return known.count;
    this.#counts.clear();
    const count = await this.#lookups.agentCount(principal);
    this.#counts.set(principal, { count, atMs: nowMs });
    return count;
  }

  admit(principal: string): void {
    const known = this.#counts.get(principal);
    if (known !== undefined) known.count += 1;
  }
}
