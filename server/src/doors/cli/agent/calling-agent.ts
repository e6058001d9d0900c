import { tokenRisk } from "@holdfast/sdk/find-server";
import type { FoundServer } from "@holdfast/sdk/found-server";
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import { textOption } from "../args/option-values.ts";
import type { CommandArguments, Terminal } from "../command.ts";
import type { CallingAgent, ServerCaller } from "../discovery/server-caller.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { namedAgentOf, readAgentNote, removeAgentNote } from "./agent-note.ts";

interface AgentServer {
  readonly server: FoundServer;
  readonly caller: ServerCaller;
}

/**
 * The agent of a command. It is the one of HOLDFAST_AGENT_ID, which `holdfast lock` sets, or the one that `holdfast
 * take` registered under the name. Each command of a named agent is a heartbeat: it renews the agent and its leases.
 */
export async function callingAgentOf(
  args: CommandArguments,
  terminal: Terminal,
  { server, caller }: AgentServer,
): Promise<CallingAgent | undefined> {
  const { HOLDFAST_AGENT_ID: id = "", HOLDFAST_AGENT_SECRET: secret = "" } = terminal.env;
  if (id !== "" && textOption(args.values, "name") === undefined) {
    const isSent = secret !== "" && tokenRisk(server) === undefined;
    return isSent ? { agent_id: id, secret } : { agent_id: id };
  }
  const named = namedAgentOf(args, terminal, server);
  const note = readAgentNote(named);
  if (note === undefined) return undefined;
  try {
    await caller.call("heartbeat", {}, { agent: note });
    return note;
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== "agent_unknown") throw error;
    removeAgentNote(named);
    terminal.warn(
      `holdfast: the registration of ${escapeControlChars(named.name)} has ended, and its locks with it: ` +
        "the agent was silent for more than an hour, or it was ended.",
    );
    return undefined;
  }
}
