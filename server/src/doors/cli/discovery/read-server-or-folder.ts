/** What can be read from a running server as well as from a data folder, and the rule for which of them is asked. */
import type { Client } from "@holdfast/sdk";
import type { CommandOption, CommandArguments, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { runningServerOf } from "./server-of.ts";
import { dataFolderOf } from "./data-option.ts";
import { connectAs, localOption } from "./server-command.ts";

export const sourceOptions: Readonly<Record<string, CommandOption>> = {
  url: { value: "URL", summary: "ask this server; otherwise HOLDFAST_URL, otherwise the one on the nearest .holdfast" },
  data: { value: "DIR", summary: "read this data folder, whether a server runs on it or not" },
  token: { value: "TOKEN", summary: "the token to send to a server; otherwise HOLDFAST_TOKEN" },
  verbose: { summary: "say on standard error which server is asked, or which folder is read" },
  ...localOption,
};

export interface SourceReaders<Answer> {
  readonly server: (client: Client) => Promise<Answer>;
  readonly folder: (folder: string) => Promise<Answer>;
}

/** --data reads the folder. Otherwise the server that is named, or that runs, is asked; only without one the folder is read. */
export async function readServerOrFolder<Answer>(
  args: CommandArguments,
  terminal: Terminal,
  sources: SourceReaders<Answer>,
): Promise<Answer> {
  const { data, url } = args.values;
  if (data !== undefined && url !== undefined) throw new UsageError("give --data or --url, not both");
  const server = data === undefined ? runningServerOf(args, terminal) : undefined;
  if (server !== undefined) {
    await using client = await connectAs(args, terminal, { server, isOperator: false });
    return await sources.server(client);
  }
  const folder = dataFolderOf(args, terminal);
  if (args.values["verbose"] === true) terminal.warn(`holdfast: reading ${folder}`);
  return sources.folder(folder);
}
