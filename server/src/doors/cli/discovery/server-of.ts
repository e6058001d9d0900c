/**
 * Selects the server of a command. --url and --data name it. Without them it is the server that the client finds in the
 * same environment. The last resort is port 4653 of this host.
 */
import { defaultServer, findServer, findServerOn, serverAt } from "@holdfast/sdk/find-server";
import type { FoundServer } from "@holdfast/sdk/find-server";
import type { CommandArguments, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { textOption } from "../args/option-values.ts";

export function serverOf(args: CommandArguments, terminal: Terminal): FoundServer {
  return find(args, terminal) ?? defaultServer;
}

/** The running server, if an option or the environment names one. If undefined, the command reads the data folder. */
export function runningServerOf(args: CommandArguments, terminal: Terminal): FoundServer | undefined {
  const found = find(args, terminal);
  return found?.isGone === true ? undefined : found;
}

function find({ values }: CommandArguments, terminal: Terminal): FoundServer | undefined {
  const data = textOption(values, "data");
  const url = textOption(values, "url");
  try {
    if (url !== undefined) return serverAt(url, "--url");
    if (data === undefined) return findServer(terminal);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message.replace(/\.$/u, ""));
    throw error;
  }
  const found = findServerOn(data, "--data", terminal);
  if (found !== undefined) return found;
  throw new UsageError(`no server runs on ${data}: start one with \`holdfast up --data ${data}\``);
}
