/** Makes the secrets of agents, authenticates them, and collects their activity. */
import type { CallOptions } from "@holdfast/sdk";
import type { Clock } from "../../base/clock.ts";
import type { Ids } from "../../base/ids.ts";
import { digestOf, isSameDigest, newSecret } from "../../base/new-secret.ts";
import { stateLoading } from "../../base/state-loading.ts";
import type { Engine } from "../../engine/engine.ts";
import { findAgent } from "../../features/agents/agent-table.ts";
import type { AgentRow } from "../../features/agents/agent-table.ts";
import type { Outcome } from "../../machine/entry.ts";
import type { Canonical } from "@holdfast/sdk/json/canonical";
import { isObject } from "@holdfast/sdk/json/json";
import { refusal } from "../../machine/refusal.ts";
import { ActivityCollector } from "./activity-collector.ts";

/** The rules of authentication of a caller that names an agent. */
export interface SpeakerRules {
  readonly principal: string;
  readonly requiresSecret: boolean;
}

export class AgentDoor {
  readonly beats: ActivityCollector;
  readonly #engine: Engine;
  readonly #ids: Ids;
  /** Verified secrets: hashing one for every call would cost more than its decision. */
  readonly #proven = new Map<string, { readonly secret: string; readonly hash: string }>();

  constructor(engine: Engine, { clock, ids }: { readonly clock: Clock; readonly ids: Ids }) {
    this.#engine = engine;
    this.#ids = ids;
    this.beats = new ActivityCollector(engine, clock);
  }

  /**
   * The live agent of a call, or the refusal. Only the principal that registered an agent may use its id. Without a
   * secret the id is trusted, unless secrets are required.
   */
  speaker(id: string, secret: string | undefined, rules: SpeakerRules): AgentRow | Outcome {
    const state = this.#engine.durable;
    if (state === undefined) return refusal("journal_unavailable", stateLoading);
    const row = findAgent(state, id);
    if (row === undefined) {
      this.#proven.delete(id);
      return refusal("agent_unknown", { agent_id: id });
    }
    if (row.principal !== rules.principal) {
      return refusal("agent_unknown", { agent_id: id, reason: "another principal registered it" });
    }
    if (secret === undefined) {
      return rules.requiresSecret ? refusal("agent_secret_required", { agent_id: id }) : row;
    }
    if (row.secretHash !== undefined && this.#isRight(row, row.secretHash, secret)) return row;
    return refusal("agent_unknown", { agent_id: id, reason: "the secret does not belong to this agent" });
  }

  /** Only the hash of the secret is passed on. The secret itself is in the reply, once. */
  registration(input: Canonical, call: CallOptions): { readonly input: Canonical; readonly secret: string } {
    const secret = newSecret(this.#ids);
    // The idempotency key of a registration becomes the agent's own key: a repeat resumes the agent with a new secret.
    const ownKey = call.key === undefined ? {} : { own_key: call.key };
    const given = isObject(input) ? { ...ownKey, ...input, secret_hash: digestOf(secret) } : input;
    return { input: given, secret };
  }

  #isRight(row: AgentRow, wanted: string, secret: string): boolean {
    const proven = this.#proven.get(row.id);
    if (proven?.secret === secret && proven.hash === wanted) return true;
    if (!isSameDigest(digestOf(secret), wanted)) return false;
    this.#proven.set(row.id, { secret, hash: wanted });
    return true;
  }
}
