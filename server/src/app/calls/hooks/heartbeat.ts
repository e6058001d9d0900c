import { findAgent } from "../../../features/agents/agent-table.ts";
import { refusal } from "../../../machine/refusal.ts";
import type { OperationHooks } from "../app-operation.ts";
import { explainEndedAgent } from "../explain-ended-agent.ts";

/** Heartbeats of many agents share an entry, so a heartbeat is no command of its own. */
export const heartbeat: OperationHooks = {
  run: {
    at: "now",
    async run(_input: never, { services: { engine, agents }, speaker }) {
      const { agent } = speaker;
      if (agent === undefined) return refusal("agent_required");
      const row = engine.peek((state) => findAgent(state, agent));
      if (row === undefined) return explainEndedAgent(engine, refusal("agent_unknown", { agent_id: agent }));
      return explainEndedAgent(engine, await agents.activity.heartbeat(row));
    },
  },
};
