/**
 * Selects the server of a command. --url and --data name it. Without them it is the server that the client finds in the
 * same environment. The last resort is port 4653 of this host.
 */
import { defaultServer, findOperatorServer, findServer, findServerOn, serverAt } from "@holdfast/sdk/find-server";
import type { FoundServer } from "@holdfast/sdk/find-server";
import type { CommandArguments, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { textOption } from "../args/option-values.ts";

export function serverOf(args: CommandArguments, terminal: Terminal): FoundServer {
  return find(args, terminal) ?? defaultServer;
}

/** The operator's socket of the data folder, unless an option or the environment names an address. */
export function operatorServerOf(args: CommandArguments, terminal: Terminal): FoundServer {
  const data = textOption(args.values, "data");
  const isByAddress = textOption(args.values, "url") !== undefined || (terminal.env["HOLDFAST_URL"] ?? "") !== "";
  if (isByAddress && data === undefined) return serverOf(args, terminal);
  const folder = data === undefined ? undefined : { folder: data, from: "--data" };
  return explained(() => findOperatorServer(folder, terminal)) ?? serverOf(args, terminal);
}

/** The running server, if an option or the environment names one. If undefined, the command reads the data folder. */
export function runningServerOf(args: CommandArguments, terminal: Terminal): FoundServer | undefined {
  const found = find(args, terminal);
  return found?.isGone === true ? undefined : found;
}

function find({ values }: CommandArguments, terminal: Terminal): FoundServer | undefined {
  const data = textOption(values, "data");
  const url = textOption(values, "url");
  if (url !== undefined) return explained(() => serverAt(url, "--url"));
  if (data === undefined) return explained(() => findServer(terminal));
  const found = explained(() => findServerOn(data, "--data", terminal));
  if (found !== undefined) return found;
  throw new UsageError(`no server runs on ${data}: start one with \`holdfast up --data ${data}\``);
}

/** An address that is malformed or not trusted is a usage error: the user names another one. */
function explained<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message.replace(/\.$/u, ""));
    throw error;
  }
}
