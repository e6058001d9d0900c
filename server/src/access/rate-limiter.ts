import type { Clock } from "../base/clock.ts";
import { AgentCounter } from "./agent-counter.ts";
import type { Rejection } from "./gate.ts";
import type { AccessLimits } from "./limits.ts";
import type { Lookups } from "./lookups.ts";
import { anonymousRights, operatorRights } from "./caller-rights.ts";
import { TokenBuckets } from "./token-buckets.ts";

/** Retry delay of a caller with too many watches. */
const watchRetryMs = 1_000;
/** Retry delay of a caller with too many agents. */
const agentsRetryMs = 60_000;

/** A rate-limited caller. */
interface RateLimitedCaller {
  readonly principal: string;
  /** The key under which calls are rate-limited. */
  readonly key: string;
}

/** Maximum agents of one connection whose keys are cached. Beyond it the cache is cleared. */
const callersMax = 4_096;

/** The rate-limited callers of one connection: the connection itself, and its agents. */
export class ConnectionCallers {
  readonly own: RateLimitedCaller;
  readonly #agents = new Map<string, RateLimitedCaller>();

  constructor(principal: string, connection: string) {
    this.own = { principal, key: `connection ${connection}` };
  }

  of(agent: string | undefined): RateLimitedCaller {
    if (agent === undefined) return this.own;
    const known = this.#agents.get(agent);
    if (known !== undefined) return known;
    if (this.#agents.size >= callersMax) this.#agents.clear();
    const { principal } = this.own;
    // The agent's id alone would let one principal spend the limits of another.
    const caller = { principal, key: `agent ${principal} ${agent}` };
    this.#agents.set(agent, caller);
    return caller;
  }
}

/**
 * Enforces the limits of callers. On this host every caller without a token is `anonymous`, so each agent and each
 * connection counts for itself. An operator must always get through, and is not counted.
 */
export class RateLimiter {
  readonly #limits: AccessLimits;
  readonly #callers: TokenBuckets;
  readonly #principals: TokenBuckets;
  readonly #watches = new Map<string, number>();

  readonly #agents: AgentCounter;

  constructor(clock: Clock, lookups: Lookups, limits: AccessLimits) {
    this.#limits = limits;
    this.#agents = new AgentCounter(clock, lookups);
    this.#callers = new TokenBuckets(clock, limits.callsPerSecond);
    this.#principals = new TokenBuckets(clock, limits.principalCallsPerSecond);
  }

  /** Counts a call; undefined if it is within the limits. */
  call({ principal, key }: RateLimitedCaller): Rejection | undefined {
    if (principal === operatorRights.principal) return undefined;
    const waitMs = this.#callers.take(key);
    if (waitMs > 0) return limited("callsPerSecond", this.#limits.callsPerSecond, waitMs);
    if (principal === anonymousRights.principal) return undefined;
    const principalWaitMs = this.#principals.take(principal);
    if (principalWaitMs === 0) return undefined;
    return limited("principalCallsPerSecond", this.#limits.principalCallsPerSecond, principalWaitMs);
  }

  /** Counts a watch and returns the function to end it, or the refusal. */
  watch({ principal }: Pick<RateLimitedCaller, "principal">): (() => void) | Rejection {
    if (principal === operatorRights.principal) return () => undefined;
    const { watchesMax } = this.#limits;
    const counts = this.#watches;
    const count = counts.get(principal) ?? 0;
    if (count >= watchesMax) return limited("watchesMax", watchesMax, watchRetryMs);
    counts.set(principal, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const remaining = (counts.get(principal) ?? 1) - 1;
      if (remaining === 0) counts.delete(principal);
      else counts.set(principal, remaining);
    };
  }

  /** Refuses a registration over the limit of agents. */
  async register({ principal }: Pick<RateLimitedCaller, "principal">): Promise<Rejection | undefined> {
    if (principal === operatorRights.principal) return undefined;
    const { agentsMax } = this.#limits;
    const count = await this.#agents.count(principal, agentsMax);
    if (count >= agentsMax) return limited("agentsMax", agentsMax, agentsRetryMs);
    this.#agents.admit(principal);
    return undefined;
  }
}

function limited(limit: keyof AccessLimits, bound: number, retryAfterMs: number): Rejection {
  const name = limit.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
  return { code: "rate_limited", data: { limit: name, bound, retry_after_ms: retryAfterMs } };
}
