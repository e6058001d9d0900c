/**
 * Selects the server of a command. --url and --data name it. Without them it is the server that the client finds in the
 * same environment. Without a data folder it is the server on port 4653 of this host, and the command prints its address.
 */
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import { defaultServer, findOperatorServer, findServer, findServerOn, serverAt } from "@holdfast/sdk/find-server";
import type { FoundServer } from "@holdfast/sdk/found-server";
import type { CommandArguments, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { textOption } from "../args/option-values.ts";
import { dataFolderOf } from "./data-option.ts";

export function serverOf(args: CommandArguments, terminal: Terminal): FoundServer {
  return find(args, terminal) ?? defaultServer;
}

/** Says that a command uses the default address, because the user did not name it. Call it before the first request. */
export function noteDefaultServer(server: FoundServer, { warn }: Pick<Terminal, "warn">): void {
  if (server === defaultServer)
    warn(`holdfast: no data folder here or above; using the server at ${server.url}, ${server.from}.`);
}

/** The operator's socket of the data folder, unless an option or the environment names an address. */
export function operatorServerOf(args: CommandArguments, terminal: Terminal): FoundServer {
  const data = textOption(args.values, "data");
  const isByAddress = textOption(args.values, "url") !== undefined || (terminal.env["HOLDFAST_URL"] ?? "") !== "";
  if (isByAddress && data === undefined) return serverOf(args, terminal);
  const folder = data === undefined ? undefined : { folder: data, from: "--data" };
  return explained(() => findOperatorServer(folder, terminal)) ?? serverOf(args, terminal);
}

/** The running server, or the data folder without one. */
export function serverOrFolderOf(
  args: CommandArguments,
  terminal: Terminal,
): FoundServer | { readonly folder: string } {
  try {
    return find(args, terminal) ?? { folder: dataFolderOf(args, terminal) };
  } catch (error) {
    const folder = error instanceof HoldfastError && error.code === "unreachable" ? error.data["folder"] : undefined;
    if (typeof folder !== "string") throw error;
    return { folder };
  }
}

function find({ values }: CommandArguments, terminal: Terminal): FoundServer | undefined {
  const data = textOption(values, "data");
  const url = textOption(values, "url");
  if (url !== undefined) return explained(() => serverAt(url, "--url"));
  return explained(() => (data === undefined ? findServer(terminal) : findServerOn(data, "--data", terminal)));
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
