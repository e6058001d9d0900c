import type { agentOperations } from "@holdfast/sdk/contract";
import type { Event } from "../../machine/entry.ts";
import { done } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";
import { endsAt, findAgent } from "./agent-table.ts";

/**
 * All activity of a quarter second in one entry. A heartbeat renews the agent's locks, which the feature locks folds.
 * Other activity extends only the registration. Ended or overdue registrations are not revived.
 */
export const renewAgents: Decide<(typeof agentOperations)["renew-agents"]> = (input, context) => {
  const { state, time, grace } = context;
  const gone: string[] = [];
  const registered = (ids: readonly string[]): string[] =>
    [...new Set(ids)].filter((id) => {
      const row = findAgent(state, id);
      const isAlive = row !== undefined && (grace || time < endsAt(row));
      if (!isAlive) gone.push(id);
      return isAlive;
    });
  const beats = registered(input.beats ?? []);
  const signs = registered(input.signs ?? []);
  const events: Event[] = [];
  if (signs.length > 0) events.push({ type: "agents.seen", subject: "agents", data: { ids: signs } });
  if (beats.length > 0)
    events.push({ type: "agents.renewed", subject: "agents", data: grace ? { ids: beats, grace } : { ids: beats } });
  return { outcome: done({ gone }), events, attachment: {} };
};
