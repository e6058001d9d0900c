/** Authenticates agents and collects their activity. */
import type { Clock } from "../../base/clock.ts";
import { digestOf, isSameDigest } from "../../base/new-secret.ts";
import { stateLoading } from "../../base/state-loading.ts";
import type { Engine } from "../../engine/engine.ts";
import { findAgent } from "../../features/agents/agent-table.ts";
import type { AgentRow } from "../../features/agents/agent-table.ts";
import type { Refusal } from "../../machine/entry.ts";
import { refusal } from "../../machine/refusal.ts";
import type { DoorCallOptions } from "../../operations/door-call-options.ts";
import { ActivityCollector } from "./activity-collector.ts";

/** The rules of authentication of a caller that names an agent. */
export interface AuthenticationRules {
  readonly principal: string;
  readonly requiresSecret: boolean;
}

/** The secret of an agent, as a door received it. */
type SentSecret = Pick<DoorCallOptions, "agentSecret" | "agentProof">;

export class AgentAuthenticator {
  readonly activity: ActivityCollector;
  readonly #engine: Engine;

  constructor(engine: Engine, clock: Clock) {
    this.#engine = engine;
    this.activity = new ActivityCollector(engine, clock);
  }

  /**
   * The live agent of a call, or the refusal. Only the principal that registered an agent may use its id. Without a
   * secret the id is trusted, unless secrets are required.
   */
  authenticate(
    id: string,
    { agentSecret: secret, agentProof: proof }: SentSecret,
    rules: AuthenticationRules,
  ): AgentRow | Refusal {
    const state = this.#engine.durable;
    if (state === undefined) return refusal("journal_unavailable", stateLoading);
    const row = findAgent(state, id);
    if (row === undefined) return refusal("agent_unknown", { agent_id: id });
    if (row.principal !== rules.principal) {
      return refusal("agent_unknown", { agent_id: id, reason: "another principal registered it" });
    }
    if (secret === undefined) {
      return rules.requiresSecret ? refusal("agent_secret_required", { agent_id: id }) : row;
    }
    if (proof?.secretHash !== undefined && proof.secretHash === row.secretHash) return row;
    if (row.secretHash !== undefined && isSameDigest(digestOf(secret), row.secretHash)) {
      if (proof !== undefined) proof.secretHash = row.secretHash;
      return row;
    }
    return refusal("agent_unknown", { agent_id: id, reason: "the secret does not belong to this agent" });
  }
}
