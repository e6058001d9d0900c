import { defined } from "@holdfast/sdk/base/defined";
import type { Clock } from "../../base/clock.ts";
import type { Engine } from "../../engine/engine.ts";
import { systemPrincipal } from "../../engine/timer-watch.ts";
import { endsAt, findAgent, noteEveryMs } from "../../features/agents/agent-table.ts";
import type { AgentRow } from "../../features/agents/agent-table.ts";
import { ownerTable } from "../../features/locks/tables/lock-tables.ts";
import { workerTable } from "../../packs/jobs/job-tables.ts";
import { missedView } from "../../features/locks/tables/missed-grants.ts";
import type { Outcome } from "../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { done, refusal } from "../../machine/refusal.ts";
import { journalRefusal } from "./journal-refusal.ts";

/** Interval in which heartbeats share one entry. */
const heartbeatTickMs = 250;
/** Interval in which other activity is collected. */
const activityTickMs = 10_000;
/** Maximum agents in one entry. */
const idsMax = 10_000;

type ReplyCallback = (outcome: Outcome) => void;

/**
 * Collects activity, so that a thousand agents cost a few entries. A heartbeat of an agent with locks extends leases,
 * so it is durable before it is answered and waits for the next tick. An idle agent only stays registered: its
 * heartbeat is answered at once and recorded at intervals.
 */
export class ActivityCollector {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #heartbeats = new Map<string, ReplyCallback[]>();
  readonly #activeIds = new Set<string>();
  #cancel: (() => void) | undefined;
  #sendAtMs = Infinity;

  constructor(engine: Engine, clock: Clock) {
    this.#engine = engine;
    this.#clock = clock;
  }

  /** Records that an agent was active. A command or a read extends its registration, like a heartbeat. */
  noteActivity(agent: AgentRow): void {
    if (this.#engine.now() - agent.seenAt < noteEveryMs(agent)) return;
    this.#activeIds.add(agent.id);
    this.#sendWithin(activityTickMs, false);
  }

  /** The outcome of a heartbeat: the end of the registration, or the refusal. */
  heartbeat(agent: AgentRow): Promise<Outcome> {
    if (!this.#engine.isShared || !this.#isIdle(agent)) return this.#heartbeat(agent);
    // The agent may have got a lock on another node a moment ago. Without catching up, the reply would confirm a
    // renewal of that lock that does not happen.
    return this.#engine.catchUp().then(() => this.#heartbeat(agent), journalRefusal);
  }

  #isIdle({ id }: AgentRow): boolean {
    const hasLeases = this.#engine.peek(
      (state) => state.rows(ownerTable).get(id) !== undefined || state.rows(workerTable).get(id) !== undefined,
    );
    return hasLeases === false;
  }

  /** The grants that the agent did not accept in time. */
  #missed(id: string): JsonObject {
    return this.#engine.peek((state) => missedView(state, id)) ?? {};
  }

  #heartbeat(agent: AgentRow): Promise<Outcome> {
    if (this.#isIdle(agent)) {
      this.noteActivity(agent);
      const end = Math.max(endsAt(agent), this.#engine.now() + agent.limitMs);
      return Promise.resolve(heartbeatReply(agent, end, this.#missed(agent.id)));
    }
    return new Promise((reply) => {
      const callbacks = this.#heartbeats.get(agent.id);
      if (callbacks === undefined) this.#heartbeats.set(agent.id, [reply]);
      else callbacks.push(reply);
      this.#sendWithin(heartbeatTickMs, true);
      if (this.#heartbeats.size >= idsMax) void this.#send();
    });
  }

  /** Sends collected activity before the node stops. */
  flush(): void {
    void this.#send();
  }

  #sendWithin(delayMs: number, isAwaited: boolean): void {
    const atMs = this.#clock.monotonicMs() + delayMs;
    if (atMs >= this.#sendAtMs) return;
    this.#cancel?.();
    this.#sendAtMs = atMs;
    this.#cancel = this.#clock.after(delayMs, () => void this.#send(), { keepAlive: isAwaited });
  }

  async #send(): Promise<void> {
    this.#cancel?.();
    this.#sendAtMs = Infinity;
    if (this.#heartbeats.size + this.#activeIds.size === 0) return;
    const heartbeats = new Map(this.#heartbeats);
    const signs = [...this.#activeIds].filter((id) => !heartbeats.has(id)).slice(0, idsMax);
    this.#heartbeats.clear();
    this.#activeIds.clear();
    const input: JsonObject = defined({
      beats: heartbeats.size === 0 ? undefined : [...heartbeats.keys()],
      signs: signs.length === 0 ? undefined : signs,
    });
    const caller = systemPrincipal;
    const { outcome } = await this.#engine.execute({
      operation: "renew-agents",
      input,
      principal: caller,
      caller,
      bytes: 0,
    });
    const gone = (outcome.data["gone"] ?? []) as readonly string[];
    for (const [id, callbacks] of heartbeats) {
      const row = this.#engine.peek((state) => findAgent(state, id));
      const result = outcome.kind === "refusal" ? outcome : outcomeOf(id, row, { gone, missed: this.#missed(id) });
      for (const reply of callbacks) reply(result);
    }
  }
}

function outcomeOf(
  id: string,
  row: AgentRow | undefined,
  { gone, missed }: { readonly gone: readonly string[]; readonly missed: JsonObject },
): Outcome {
  if (row === undefined || gone.includes(id)) return refusal("agent_unknown", { agent_id: id });
  return heartbeatReply(row, endsAt(row), missed);
}

function heartbeatReply(agent: AgentRow, end: number, missed: JsonObject): Outcome {
  return done({ agent_id: agent.id, expires_at: new Date(end).toISOString(), ...missed });
}
