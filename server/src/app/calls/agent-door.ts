/** What the door does about agents: makes secrets, checks who speaks, and collects signs of life. */
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
import { Beats } from "./beats.ts";

/** What holds for whoever says that it is an agent. */
export interface SpeakerRules {
  readonly principal: string;
  readonly requiresSecret: boolean;
}

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

  /**
   * The living agent that speaks, or the refusal. An id is good only for the principal that registered it. Without a
   * secret it is taken at its word, unless secrets are required.
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
    return refusal("agent_unknown", { agent_id: id, reason: "the secret is not that of this agent" });
  }

  /** Only the hash of the secret goes on; the secret itself is shown once, in the reply. */
  registration(input: Canonical, call: CallOptions): { readonly input: Canonical; readonly secret: string } {
    const secret = newSecret(this.#ids);
    // A key that makes a registration safe to send again is the agent's own key: a repeat resumes, and gets a new secret.
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
