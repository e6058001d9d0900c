import type { Clock } from "../base/clock.ts";
import type { Lookups } from "./lookups.ts";

/** Time for which a count is reused, plus the registrations admitted since. */
const freshMs = 1_000;

/** The number of agents of a principal. Counting all of them for each registration would itself allow an overload. */
export class AgentCensus {
  readonly #clock: Clock;
  readonly #lookups: Lookups;
  readonly #counts = new Map<string, { count: number; atMs: number }>();

  constructor(clock: Clock, lookups: Lookups) {
    this.#clock = clock;
    this.#lookups = lookups;
  }

  /** At most a second old, and never less than the registrations admitted since. */
  async count(principal: string, enough: number): Promise<number> {
    const total = this.#lookups.agentTotal();
    // No principal has more agents than exist.
    if (total < enough) return total;
    const nowMs = this.#clock.monotonicMs();
    const known = this.#counts.get(principal);
    if (known !== undefined && nowMs - known.atMs < freshMs) return known.count;
    this.#counts.clear();
    const count = await this.#lookups.agentCount(principal);
    this.#counts.set(principal, { count, atMs: nowMs });
    return count;
  }

  letThrough(principal: string): void {
    const known = this.#counts.get(principal);
    if (known !== undefined) known.count += 1;
  }
}
