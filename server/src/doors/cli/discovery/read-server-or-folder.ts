/** Reads data from a running server or directly from a data folder, and selects the source. */
import type { CommandOption, CommandArguments, Terminal } from "../command.ts";
import { nameOption } from "../agent/agent-note.ts";
import { UsageError } from "../args/usage-error.ts";
import { serverOrFolderOf } from "./server-of.ts";
import { dataFolderOf } from "./data-option.ts";
import type { ServerCaller } from "./server-caller.ts";
import { localOption, openCommand } from "./server-command.ts";
import { tokenFileOption } from "./token-of.ts";

export const sourceOptions: Readonly<Record<string, CommandOption>> = {
  url: { value: "URL", summary: "the server (default: $HOLDFAST_URL, else the server of the nearest .holdfast)" },
  data: { value: "DIR", summary: "read this data folder directly, with or without a running server" },
  name: nameOption,
  "token-file": tokenFileOption,
  verbose: { summary: "print the address of the server or the path of the folder to standard error" },
  ...localOption,
};

interface SourceReaders<Answer> {
  readonly server: (caller: ServerCaller) => Promise<Answer>;
  readonly folder: (folder: string) => Promise<Answer>;
}

/** With --data it reads the folder. Otherwise it calls the named or running server. Without a server it reads the folder. */
export async function readServerOrFolder<Answer>(
  args: CommandArguments,
  terminal: Terminal,
  sources: SourceReaders<Answer>,
): Promise<Answer> {
  const { data, url } = args.values;
  if (data !== undefined && url !== undefined) throw new UsageError("use --data or --url, not both");
  const source = data === undefined ? serverOrFolderOf(args, terminal) : { folder: dataFolderOf(args, terminal) };
  if ("url" in source) {
    return sources.server(await openCommand(args, terminal, { server: source, isOperator: false }));
  }
  const { folder } = source;
  if (args.values["verbose"] === true) terminal.warn(`holdfast: reading ${folder}`);
  return sources.folder(folder);
}
