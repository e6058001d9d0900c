/**
 * Which server a command talks to: the one of --url; the one that runs on the folder of --data; else the one that the
 * client finds in the same environment; else port 4653 of this host.
 */
import { defaultServer, findServer, findServerOn, serverAt } from "@holdfast/sdk/find-server";
import type { FoundServer } from "@holdfast/sdk/find-server";
import type { CommandArguments, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { textOption } from "../args/option-values.ts";

export function serverOf(args: CommandArguments, terminal: Terminal): FoundServer {
  return find(args, terminal) ?? defaultServer;
}

/** The server, if anything names one that runs. Undefined: read the data folder instead. */
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
