import type { Engine } from "../../engine/engine.ts";
import { agentSubject } from "../../features/agents/agent-table.ts";
import type { Outcome } from "../../machine/entry.ts";
import { historyPage, meantEvents } from "../reads/subject-history.ts";

const isOfAgent = (type: string): boolean => type.startsWith("agent.");

/** An agent that is not there any more is told when and why it ended. That is in the journal, not in memory. */
export async function explainGone(engine: Engine, outcome: Outcome): Promise<Outcome> {
  const id = outcome.data["agent_id"];
  if (outcome.kind === "done" || outcome.code !== "agent_unknown" || typeof id !== "string") return outcome;
  if (!/^[\x21-\x7e]{1,128}$/u.test(id)) return outcome;
  // Its registration may have been followed by an entity of the type `agent` with its id.
  const query = { subject: agentSubject(id), before: undefined, limit: 1, isMeant: isOfAgent };
  const [entry] = (await historyPage(engine, query)).entries;
  const ended = entry === undefined ? undefined : meantEvents(entry, query).find(({ type }) => type === "agent.ended");
  if (entry === undefined || ended === undefined) return outcome;
  const facts = {
    ended_at: new Date(entry.time).toISOString(),
    why: ended.data["why"] ?? null,
    by: ended.data["by"] ?? null,
  };
  return { ...outcome, data: { ...outcome.data, ...facts } };
}
