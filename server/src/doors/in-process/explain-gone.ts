import type { Engine } from "../../engine/engine.ts";
import { agentSubject } from "../../features/agents/agent-table.ts";
import type { Outcome } from "../../machine/entry.ts";

/** An agent that is not there any more is told when and why it ended. That is in the journal, not in memory. */
export async function explainGone(engine: Engine, outcome: Outcome): Promise<Outcome> {
  const id = outcome.data["agent_id"];
  if (outcome.kind === "done" || outcome.code !== "agent_unknown" || typeof id !== "string") return outcome;
  if (!/^[\x21-\x7e]{1,128}$/u.test(id)) return outcome;
  const subject = agentSubject(id);
  const [entry] = await engine.entriesAbout({ subject, order: "newest-first", limit: 1 });
  const ended = entry?.events.find((event) => event.subject === subject && event.type === "agent.ended");
  if (entry === undefined || ended === undefined) return outcome;
  const facts = {
    ended_at: new Date(entry.time).toISOString(),
    why: ended.data["why"] ?? null,
    by: ended.data["by"] ?? null,
  };
  return { ...outcome, data: { ...outcome.data, ...facts } };
}
