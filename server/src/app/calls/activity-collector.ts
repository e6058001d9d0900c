import type { Clock } from "../../base/clock.ts";
import type { Engine } from "../../engine/engine.ts";
import { systemPrincipal } from "../../engine/timer-watch.ts";
import { endsAt, findAgent, noteEveryMs } from "../../features/agents/agent-table.ts";
import type { AgentRow } from "../../features/agents/agent-table.ts";
import { ownerTable } from "../../features/locks/tables/lock-tables.ts";
import type { Outcome } from "../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { done, refusal } from "../../machine/refusal.ts";
import { journalRefusal } from "./journal-refusal.ts";

/** Interval in which heartbeats share one entry. */
const tickMs = 250;
/** Interval in which other activity is collected. */
const idleTickMs = 10_000;
const idsMax = 10_000;

type Answer = (outcome: Outcome) => void;

/**
 * Collects activity, so that a thousand agents cost a few entries. A heartbeat of an agent with locks extends leases,
 * so it is durable before it is answered and waits for the next tick. An idle agent only stays registered: its
 * heartbeat is answered at once and recorded at intervals.
 */
export class ActivityCollector {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #beats = new Map<string, Answer[]>();
  readonly #signs = new Set<string>();
  #cancel: (() => void) | undefined;
  #sendAtMs = Infinity;

  constructor(engine: Engine, clock: Clock) {
    this.#engine = engine;
    this.#clock = clock;
  }

  /** A command or a read of an agent is activity too and extends its registration. */
  sign(agent: AgentRow): void {
    if (this.#engine.now() - agent.seenAt < noteEveryMs(agent)) return;
    this.#signs.add(agent.id);
    this.#sendWithin(idleTickMs, false);
  }

  beat(agent: AgentRow): Promise<Outcome> {
    if (!this.#engine.isShared || !this.#isIdle(agent)) return this.#beat(agent);
    // The agent may have got a lock on another node a moment ago. Without catching up it would not be renewed although
    // the reply confirms it.
    return this.#engine.catchUp().then(() => this.#beat(agent), journalRefusal);
  }

  #isIdle({ id }: AgentRow): boolean {
    return this.#engine.peek((state) => state.rows(ownerTable).get(id) === undefined) === true;
  }

  #beat(agent: AgentRow): Promise<Outcome> {
    if (this.#isIdle(agent)) {
      this.sign(agent);
      return Promise.resolve(beaten(agent, Math.max(endsAt(agent), this.#engine.now() + agent.limitMs)));
    }
    return new Promise((answer) => {
      const waiting = this.#beats.get(agent.id);
      if (waiting === undefined) this.#beats.set(agent.id, [answer]);
      else waiting.push(answer);
      this.#sendWithin(tickMs, true);
      if (this.#beats.size >= idsMax) void this.#send();
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
    if (this.#beats.size + this.#signs.size === 0) return;
    const answers = new Map(this.#beats);
    const signs = [...this.#signs].filter((id) => !answers.has(id)).slice(0, idsMax);
    this.#beats.clear();
    this.#signs.clear();
    const input: JsonObject = {
      ...(answers.size === 0 ? {} : { beats: [...answers.keys()] }),
      ...(signs.length === 0 ? {} : { signs }),
    };
    const caller = systemPrincipal;
    const { outcome } = await this.#engine.execute({
      operation: "renew-agents",
      input,
      principal: caller,
      caller,
      bytes: 0,
    });
    for (const [id, waiting] of answers) {
      const row = this.#engine.peek((state) => findAgent(state, id));
      const answer =
        outcome.kind === "refusal" ? outcome : answerOf(id, row, outcome.data["gone"] as readonly string[]);
      for (const reply of waiting) reply(answer);
    }
  }
}

function answerOf(id: string, row: AgentRow | undefined, gone: readonly string[]): Outcome {
  if (row === undefined || gone.includes(id)) return refusal("agent_unknown", { agent_id: id });
  return beaten(row, endsAt(row));
}

function beaten(agent: AgentRow, end: number): Outcome {
  return done({ agent_id: agent.id, expires_at: new Date(end).toISOString() });
}
