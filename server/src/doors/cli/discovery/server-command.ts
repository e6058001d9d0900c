/** A command that asks a running server: found, connected to, asked as whoever the environment says, and closed again. */
import { connect } from "@holdfast/sdk";
import { allOperations } from "@holdfast/sdk/contract";
import type { Client } from "@holdfast/sdk";
import type { FoundServer } from "@holdfast/sdk/find-server";
import { jsonLine } from "../../../base/json-line.ts";
import type { Command, CommandOption, CommandArguments, Terminal } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { serverOf } from "./server-of.ts";
import { readOperatorToken } from "./operator-token.ts";
import { textOption } from "../args/option-values.ts";
import { withFailureReport } from "../terminal/failure-report.ts";

/** What a command has in hand once there is a client. */
export interface CommandContext extends CommandArguments {
  readonly client: Client;
  readonly server: FoundServer;
  readonly terminal: Terminal;
  readonly isJson: boolean;
  /** Prints an answer: the data for programs, the words for people. */
  readonly show: (data: unknown, text: () => string) => ExitCode;
}

export interface ServerCommand extends Omit<Command, "run"> {
  /** It sends the operator's token, if it can be found. */
  readonly isForOperators?: (args: CommandArguments) => boolean;
  readonly execute: (context: CommandContext) => Promise<ExitCode>;
}

const serverOptions: Readonly<Record<string, CommandOption>> = {
  url: { value: "URL", summary: "the server; otherwise HOLDFAST_URL, otherwise the one on the nearest .holdfast" },
  data: { value: "DIR", summary: "the server that runs on this data folder" },
  token: { value: "TOKEN", summary: "the token to send; otherwise HOLDFAST_TOKEN" },
  verbose: { summary: "say on standard error which server is asked" },
  json: { summary: "print JSON, for programs" },
};

/** For what only looks. */
export const localOption: Readonly<Record<string, CommandOption>> = {
  local: { summary: "take what the node that is asked has folded, without a look at the head of a shared journal" },
};

function onlyReads({ operations = [] }: Pick<Command, "operations">): boolean {
  return operations.length > 0 && operations.every((name) => allOperations[name].kind === "read");
}

/** Makes a command of one that only says what to ask. */
export function serverCommand({ execute: ask, isForOperators, ...command }: ServerCommand): Command {
  return {
    ...command,
    options: { ...command.options, ...serverOptions, ...(onlyReads(command) ? localOption : {}) },
    run: (args, terminal) =>
      withFailureReport(args, terminal, async () => {
        const server = serverOf(args, terminal);
        await using client = await connectAs(args, terminal, { server, isOperator: isForOperators?.(args) ?? false });
        return await ask(contextOf(args, terminal, { client, server }));
      }),
  };
}

export function contextOf(
  args: CommandArguments,
  terminal: Terminal,
  at: Pick<CommandContext, "client" | "server">,
): CommandContext {
  const isJson = args.values["json"] === true;
  return {
    ...args,
    ...at,
    terminal,
    isJson,
    show(data, text) {
      terminal.print(isJson ? jsonLine(data) : text());
      return exitCodes.done;
    },
  };
}

/** Connects, and speaks as the agent that the environment names. */
export async function connectAs(
  args: CommandArguments,
  terminal: Terminal,
  { server, isOperator }: { readonly server: FoundServer; readonly isOperator: boolean },
): Promise<Client> {
  const { env } = terminal;
  const token = tokenOf(args, terminal, { isOperator, folder: server.folder });
  if (args.values["verbose"] === true) terminal.warn(`holdfast: asking ${server.url}, found by ${server.from}`);
  const client = await connect(server.url, {
    ...(token === undefined ? {} : { token }),
    ...(args.values["local"] === true ? { reads: "local" } : {}),
  });
  const { HOLDFAST_AGENT_ID: agent = "", HOLDFAST_AGENT_SECRET: secret = "" } = env;
  if (agent === "" || isOperator) return client;
  return client.as({ agent_id: agent, ...(secret === "" ? {} : { secret }) });
}

/** What was given; for what only operators may do, what the operator of this host has. */
function tokenOf(
  { values }: CommandArguments,
  { env }: Terminal,
  { isOperator, folder }: { readonly isOperator: boolean; readonly folder: string | undefined },
): string | undefined {
  const given = textOption(values, "token") ?? env["HOLDFAST_TOKEN"];
  if (given !== undefined && given !== "") return given;
  if (!isOperator) return undefined;
  const { HOLDFAST_OPERATOR_TOKEN: own = "" } = env;
  return own !== "" ? own : folder === undefined ? undefined : readOperatorToken(folder);
}
