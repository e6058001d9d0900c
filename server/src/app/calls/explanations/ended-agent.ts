import { agentSubject } from "../../../features/agents/agent-table.ts";
import { selectedEvents, subjectHistory } from "../../reads/subject-history.ts";
import type { Explain } from "../explain.ts";

const isOfAgent = (type: string): boolean => type.startsWith("agent.");

const isRegistration = (type: string): boolean => type === "agent.registered";

/** When and why an agent ended, and the principal that had registered it, from the journal. */
export const explainEndedAgent: Explain = async ({ data }, { services: { engine }, position }) => {
  const id = data["agent_id"];
  if (typeof id !== "string" || !/^[\x21-\x7e]{1,128}$/u.test(id)) return {};
  // An entity of the type `agent` with the same id may have later events.
  const query = { subject: agentSubject(id), before: position + 1, limit: 1, isSelected: isOfAgent };
  const [entry] = (await subjectHistory(engine, query)).entries;
  const ended =
    entry === undefined ? undefined : selectedEvents(entry, query).find(({ type }) => type === "agent.ended");
  if (entry === undefined || ended === undefined) return {};
  const [registered] = (await subjectHistory(engine, { ...query, isSelected: isRegistration })).entries;
  return {
    principal: registered?.principal ?? null,
    ended_at: new Date(entry.time).toISOString(),
    why: ended.data["why"] ?? null,
    by: ended.data["by"] ?? null,
  };
};
