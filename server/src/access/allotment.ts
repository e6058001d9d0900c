import type { Clock } from "../base/clock.ts";
import { AgentCensus } from "./agent-census.ts";
import type { Turned } from "./gate.ts";
import type { AccessLimits } from "./limits.ts";
import type { Lookups } from "./lookups.ts";
import { anonymousStanding, operatorStanding } from "./standing.ts";
import { TokenBuckets } from "./token-buckets.ts";

/** How long a caller should wait that has too much open at once: something ends, sooner or later. */
const openRetryMs = 1_000;
const agentsRetryMs = 60_000;

/** Who asks, as far as limits are concerned. */
export interface Asker {
  readonly principal: string;
  /** Under this name its calls are counted. */
  readonly speaker: string;
}

/** Agents of one connection whose names are kept; over it all are forgotten, and made again for those who go on. */
const askersMax = 4_096;

/** Those who speak over one connection: itself, and agents. */
export class Askers {
  readonly own: Asker;
  readonly #agents = new Map<string, Asker>();

  constructor(principal: string, connection: string) {
    this.own = { principal, speaker: `connection ${connection}` };
  }

  of(agent: string | undefined): Asker {
    if (agent === undefined) return this.own;
    const known = this.#agents.get(agent);
    if (known !== undefined) return known;
    if (this.#agents.size >= askersMax) this.#agents.clear();
    const { principal } = this.own;
    // An agent's id alone would let one principal spend what is another's.
    const asker = { principal, speaker: `agent ${principal} ${agent}` };
    this.#agents.set(agent, asker);
    return asker;
  }
}

/**
 * Keeps account of what callers have and have had. On this host everybody without a token is `anonymous`, so there each
 * agent and each connection counts for itself. An operator must get through whatever others do, and is not counted.
 */
export class Allotment {
  readonly #limits: AccessLimits;
  readonly #speakers: TokenBuckets;
  readonly #principals: TokenBuckets;
  readonly #watches = new Map<string, number>();

  readonly #agents: AgentCensus;

  constructor(clock: Clock, lookups: Lookups, limits: AccessLimits) {
    this.#limits = limits;
    this.#agents = new AgentCensus(clock, lookups);
    this.#speakers = new TokenBuckets(clock, limits.callsPerSecond);
    this.#principals = new TokenBuckets(clock, limits.principalCallsPerSecond);
  }

  /** Counts a call; undefined if there is room for it. */
  call({ principal, speaker }: Asker): Turned | undefined {
    if (principal === operatorStanding.principal) return undefined;
    const waitMs = this.#speakers.take(speaker);
    if (waitMs > 0) return limited("callsPerSecond", this.#limits.callsPerSecond, waitMs);
    if (principal === anonymousStanding.principal) return undefined;
    const principalWaitMs = this.#principals.take(principal);
    if (principalWaitMs === 0) return undefined;
    return limited("principalCallsPerSecond", this.#limits.principalCallsPerSecond, principalWaitMs);
  }

  /** Counts a watch, and returns the way to end it; or why there is no room. */
  watch({ principal }: Pick<Asker, "principal">): (() => void) | Turned {
    if (principal === operatorStanding.principal) return () => undefined;
    const { watchesMax } = this.#limits;
    const counts = this.#watches;
    const count = counts.get(principal) ?? 0;
    if (count >= watchesMax) return limited("watchesMax", watchesMax, openRetryMs);
    counts.set(principal, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (counts.get(principal) ?? 1) - 1;
      if (left === 0) counts.delete(principal);
      else counts.set(principal, left);
    };
  }

  /** Whether one more agent may be registered. */
  async register({ principal }: Pick<Asker, "principal">): Promise<Turned | undefined> {
    if (principal === operatorStanding.principal) return undefined;
    const { agentsMax } = this.#limits;
    const count = await this.#agents.count(principal, agentsMax);
    if (count >= agentsMax) return limited("agentsMax", agentsMax, agentsRetryMs);
    this.#agents.letThrough(principal);
    return undefined;
  }
}

function limited(limit: keyof AccessLimits, bound: number, retryAfterMs: number): Turned {
  const name = limit.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
  return { code: "rate_limited", data: { limit: name, bound, retry_after_ms: retryAfterMs } };
}
