import type { CommandContext } from "../discovery/server-command.ts";
import { namedAgentOf, readAgentNote, removeAgentNote } from "./agent-note.ts";

/** Ends the agent of `holdfast take` after its last lock, so that the list of agents shows only agents at work. */
export async function endIfIdle(context: CommandContext): Promise<void> {
  const { agent, call, terminal, server } = context;
  const named = namedAgentOf(context, terminal, server);
  const note = readAgentNote(named);
  if (agent === undefined || note?.agent_id !== agent.agent_id) return;
  const { holds, waits } = await call("who-am-i", { limit: 1 });
  if (holds.length + waits.length > 0) return;
  await call("end-agent", { reason: "released its last lock" });
  removeAgentNote(named);
}
