import type { Clock } from "../base/clock.ts";
import { AgentCounter } from "./agent-counter.ts";
import { ConnectionAgents } from "./connection-agents.ts";
import type { Rejection } from "./gate.ts";
import type { AccessLimits } from "./limits.ts";
import type { Lookups } from "./lookups.ts";
import { OpenCounts } from "./open-counts.ts";
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
 * Enforces the limits of callers. On this host every caller without a token is `anonymous`. So each agent and each
 * connection counts for itself, also with its watches and its registrations. An operator must always get through, and
 * is not counted.
 */
export class RateLimiter {
  readonly #limits: AccessLimits;
  readonly #callers: TokenBuckets;
  readonly #principals: TokenBuckets;
  readonly #watches = new OpenCounts();
  readonly #connectionWatches = new OpenCounts();
  readonly #agents: AgentCounter;
  readonly #connectionAgents: ConnectionAgents;
  /** Registrations without a reply. A connection may send many before the first one is recorded. */
  readonly #pendingAgents = new OpenCounts();

  constructor(clock: Clock, lookups: Lookups, limits: AccessLimits) {
    this.#limits = limits;
    this.#agents = new AgentCounter(clock, lookups);
    this.#connectionAgents = new ConnectionAgents(lookups);
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
  watch({ principal, key }: RateLimitedCaller): (() => void) | Rejection {
    if (principal === operatorRights.principal) return () => undefined;
    const { watchesMax, connectionWatchesMax } = this.#limits;
    const own = principal === anonymousRights.principal ? this.#connectionWatches.count(key) : undefined;
    if (own !== undefined && own >= connectionWatchesMax)
      return limited("connectionWatchesMax", connectionWatchesMax, watchRetryMs);
    if (this.#watches.count(principal) >= boundFor(watchesMax, own))
      return limited("watchesMax", watchesMax, watchRetryMs);
    const ends = [this.#watches.open(principal), ...(own === undefined ? [] : [this.#connectionWatches.open(key)])];
    return () => {
      for (const end of ends) end();
    };
  }

  /** Counts a registration and returns the function to call with its reply, or the refusal. */
  async register(caller: RateLimitedCaller): Promise<(() => void) | Rejection> {
    const { principal, key } = caller;
    if (principal === operatorRights.principal) return () => undefined;
    const { connectionAgentsMax } = this.#limits;
    const isAnonymous = principal === anonymousRights.principal;
    const pending = isAnonymous ? this.#pendingAgents.count(key) : 0;
    if (
      isAnonymous &&
      this.#connectionAgents.count(key, connectionAgentsMax - pending) + pending >= connectionAgentsMax
    )
      return limited("connectionAgentsMax", connectionAgentsMax, agentsRetryMs);
    const end = isAnonymous ? this.#pendingAgents.open(key) : () => undefined;
    try {
      const refusal = await this.#principalRefusal(caller, isAnonymous);
      if (refusal === undefined) return end;
      end();
      return refusal;
    } catch (error) {
      end();
      throw error;
    }
  }

  async #principalRefusal({ principal, key }: RateLimitedCaller, isAnonymous: boolean): Promise<Rejection | undefined> {
    const { agentsMax } = this.#limits;
    const count = await this.#agents.count(principal, agentsMax);
    // Only at the bound the agents of the connection are counted exactly.
    const own = isAnonymous && count >= agentsMax ? this.#connectionAgents.count(key, 0) : undefined;
    if (count >= boundFor(agentsMax, own)) return limited("agentsMax", agentsMax, agentsRetryMs);
    this.#agents.admit(principal);
    return undefined;
  }

  /** Counts a registered agent for its connection. */
  registered({ principal, key }: RateLimitedCaller, agent: string): void {
    if (principal === anonymousRights.principal) this.#connectionAgents.add(key, agent);
  }
}

/** Number of agents or watches below which a connection without a token may use the reserve. */
const reserveBelow = 16;

/**
 * The bound of a principal for a caller. A tenth more is the reserve of connections without a token that have few. So a
 * few connections at their own limit do not shut out the others. `own` is undefined for a principal with a token.
 */
function boundFor(bound: number, own: number | undefined): number {
  return own !== undefined && own < reserveBelow ? bound + Math.ceil(bound / 10) : bound;
}

function limited(limit: keyof AccessLimits, bound: number, retryAfterMs: number): Rejection {
  const name = limit.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
  return { code: "rate_limited", data: { limit: name, bound, retry_after_ms: retryAfterMs } };
}
