import { findAgent } from "../../../features/agents/agent-table.ts";
import { refusal } from "../../../machine/refusal.ts";
import type { OperationHooks } from "../app-operation.ts";
import { explainUnrecorded } from "../explain-refusal.ts";

/** Heartbeats of many agents share an entry, so a heartbeat is not a command of its own. */
export const heartbeat: OperationHooks = {
  run: {
    at: "now",
    async run(_input: never, { services, speaker }) {
      const { engine, agents } = services;
      const { agent } = speaker;
      if (agent === undefined) return refusal("agent_required");
      const row = engine.peek((state) => findAgent(state, agent));
      if (row === undefined) return explainUnrecorded(refusal("agent_unknown", { agent_id: agent }), { services });
      const outcome = await agents.activity.heartbeat(row);
      return outcome.kind === "refusal" ? explainUnrecorded(outcome, { services }) : outcome;
    },
  },
};
