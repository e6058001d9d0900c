/** What the door does about agents: makes secrets, checks who speaks, and collects signs of life. */
import { hash } from "node:crypto";
import type { CallOptions } from "@holdfast/sdk";
import type { Clock } from "../../base/clock.ts";
import type { Ids } from "../../base/ids.ts";
import type { Engine } from "../../engine/engine.ts";
import { findAgent } from "../../features/agents/agent-table.ts";
import type { AgentRow } from "../../features/agents/agent-table.ts";
import type { Outcome } from "../../machine/entry.ts";
import type { Json } from "../../machine/json.ts";
import { isObject } from "../../machine/json.ts";
import { refusal } from "../../machine/outcome.ts";
import { Beats } from "./beats.ts";

export class AgentDoor {
  readonly beats: Beats;
  readonly #engine: Engine;
  readonly #ids: Ids;
  /** Secrets that were right: hashing one for every call would cost more than deciding it. */
  readonly #proven = new Map<string, { readonly secret: string; readonly hash: string }>();

  constructor(engine: Engine, { clock, ids }: { readonly clock: Clock; readonly ids: Ids }) {
    this.#engine = engine;
    this.#ids = ids;
    this.beats = new Beats(engine, clock);
  }

  /** The living agent that speaks, or the refusal. Without a secret an id is taken at its word, on this side of a door. */
  speaker(call: CallOptions & { readonly agent: string }): AgentRow | Outcome {
    const row = this.#engine.peek((state) => findAgent(state, call.agent));
    if (row === undefined) {
      this.#proven.delete(call.agent);
      return refusal("agent_unknown", { agent_id: call.agent });
    }
    const { agentSecret: secret } = call;
    if (secret !== undefined && row.secretHash !== undefined && !this.#isRight(row, row.secretHash, secret)) {
      return refusal("agent_unknown", { agent_id: call.agent, reason: "the secret is not that of this agent" });
    }
    return row;
  }

  /** Only the hash of the secret goes on; the secret itself is shown once, in the reply. */
  registration(input: Json, call: CallOptions): { readonly input: Json; readonly secret: string } {
    const secret = `${this.#ids.unique()}${this.#ids.salts(1)[0] ?? ""}`;
    // A key that makes a registration safe to send again is the agent's own key: a repeat resumes, and gets a new secret.
    const ownKey = call.key === undefined ? {} : { own_key: call.key };
    const given = isObject(input) ? { ...ownKey, ...input, secret_hash: hashOf(secret) } : input;
    return { input: given, secret };
  }

  #isRight(row: AgentRow, wanted: string, secret: string): boolean {
    const proven = this.#proven.get(row.id);
    if (proven?.secret === secret && proven.hash === wanted) return true;
    if (hashOf(secret) !== wanted) return false;
    this.#proven.set(row.id, { secret, hash: wanted });
    return true;
  }
}

function hashOf(secret: string): string {
  return hash("sha256", secret, "hex");
}

const doors = new WeakMap<Engine, AgentDoor>();

/** One for each engine: the beats of all its clients share an entry. */
export function agentDoorOf(engine: Engine, tools: { readonly clock: Clock; readonly ids: Ids }): AgentDoor {
  const door = doors.get(engine) ?? new AgentDoor(engine, tools);
  doors.set(engine, door);
  return door;
}
