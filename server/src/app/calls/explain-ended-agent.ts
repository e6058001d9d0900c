import type { Engine } from "../../engine/engine.ts";
import { agentSubject } from "../../features/agents/agent-table.ts";
import type { Outcome } from "../../machine/entry.ts";
import { subjectHistory, selectedEvents } from "../reads/subject-history.ts";

const isOfAgent = (type: string): boolean => type.startsWith("agent.");

/** Explains when and why an agent ended, from the journal. */
export async function explainEndedAgent(engine: Engine, outcome: Outcome): Promise<Outcome> {
  const id = outcome.data["agent_id"];
  if (outcome.kind === "done" || outcome.code !== "agent_unknown" || typeof id !== "string") return outcome;
  if (!/^[\x21-\x7e]{1,128}$/u.test(id)) return outcome;
  // An entity of the type `agent` with the same id may have later events.
  const query = { subject: agentSubject(id), before: undefined, limit: 1, isSelected: isOfAgent };
  const [entry] = (await subjectHistory(engine, query)).entries;
  const ended =
    entry === undefined ? undefined : selectedEvents(entry, query).find(({ type }) => type === "agent.ended");
  if (entry === undefined || ended === undefined) return outcome;
  const details = {
    ended_at: new Date(entry.time).toISOString(),
    why: ended.data["why"] ?? null,
    by: ended.data["by"] ?? null,
  };
  return { ...outcome, data: { ...outcome.data, ...details } };
}
