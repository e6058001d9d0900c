import type { agentOperations } from "@holdfast/sdk/contract";
import type { Event } from "../../machine/entry.ts";
import type { DecideContext } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";
import { agentLimits, agentSubject, agentTable, endsAt, findAgent } from "./agent-table.ts";

/** An agent may end itself, a parent its child, an operator any agent. */
export const endAgent: Decide<(typeof agentOperations)["end-agent"]> = (input, context) => {
  const { state, command, time } = context;
  const id = input.agent_id ?? command.agent;
  if (id === undefined) return { outcome: refusal("agent_required"), events: [] };
  const row = findAgent(state, id);
  if (row === undefined) return { outcome: refusal("agent_unknown", { agent_id: id }), events: [] };
  if (command.agent !== undefined && command.agent !== id && command.agent !== row.parent) {
    return { outcome: refusal("not_allowed", { agent_id: command.agent }), events: [], isAudited: true };
  }
  const data = { why: "requested", by: command.agent ?? command.principal, reason: input.reason ?? null };
  return {
    outcome: done({ agent_id: id, ended_at: new Date(time).toISOString() }),
    events: endings(context, id, data),
    attachment: {},
  };
};

/** Sent by the timer. The agent may have been active since. */
export const expireAgent: Decide<(typeof agentOperations)["expire-agent"]> = (input, context) => {
  const row = findAgent(context.state, input.agent_id);
  if (row === undefined || endsAt(row) > context.time) return { outcome: refusal("not_due"), events: [] };
  return {
    outcome: done({ agent_id: row.id }),
    events: endings(context, row.id, { why: "inactive", by: "holdfast", reason: null }),
  };
};

/** An agent and its descendants. The agent itself comes last, so that reactions to its end run after all have ended. */
function endings({ state }: DecideContext, id: string, data: Event["data"]): readonly Event[] {
  const family = [id];
  // The list grows during the iteration.
  for (const parent of family) {
    const children = state.rows(agentTable).scan("parent", { prefix: parent, limit: agentLimits.descendantsMax });
    for (const row of children) if (row.parent === parent) family.push(row.id);
  }
  const [, ...descendants] = family;
  const withParent = descendants.map((child) => {
    const by = findAgent(state, child)?.parent ?? id;
    return ended(child, { why: "parent_ended", by, reason: null });
  });
  return [...withParent, ended(id, data)];
}

function ended(id: string, data: Event["data"]): Event {
  return { type: "agent.ended", subject: agentSubject(id), data };
}
