import { hostname } from "node:os";
import { defined } from "@holdfast/sdk/base/defined";
import type { CommandContext } from "../discovery/server-command.ts";
import type { CallingAgent } from "../discovery/server-caller.ts";
import { namedAgentOf, writeAgentNote } from "./agent-note.ts";

/** Inactivity limit of an agent between two commands: a model may think for minutes. */
const inactivitySeconds = 3_600;

/** The agent of the command. The first `take` of a name registers it, or resumes it if only its note is lost. */
export async function registerNamed(context: CommandContext, purpose: string | undefined): Promise<CallingAgent> {
  if (context.agent !== undefined) return context.agent;
  const named = namedAgentOf(context, context.terminal, context.server);
  const { agent_id, secret } = await context.call(
    "register-agent",
    defined({
      own_key: named.ownKey(),
      name: named.name,
      purpose,
      host: hostname(),
      // The shell or the program that runs the commands. The command itself ends at once.
      process_id: process.ppid > 0 ? process.ppid : undefined,
      inactivity_seconds: inactivitySeconds,
    }),
  );
  const note = { agent_id, secret, name: named.name };
  writeAgentNote(named, note);
  return note;
}
