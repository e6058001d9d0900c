/** A command that calls a running server. It finds the server, connects as the agent of the environment, and disconnects. */
import { defined } from "@holdfast/sdk/base/defined";
import { operationData } from "@holdfast/sdk/data/known-contract";
import type { Client, Reads } from "@holdfast/sdk";
import { connectTo } from "@holdfast/sdk/connect-to";
import { tokenRisk } from "@holdfast/sdk/find-server";
import type { FoundServer } from "@holdfast/sdk/find-server";
import { jsonLine } from "../../../base/json-line.ts";
import type { CliCommand, CommandOption, CommandArguments, Terminal } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { operatorServerOf, serverOf } from "./server-of.ts";
import { tokenFileOption, tokenOf, warnOfWithheldSecrets } from "./token-of.ts";
import { withFailureReport } from "../terminal/failure-report.ts";

/** The arguments of a command, its client and its terminal. */
export interface CommandContext extends CommandArguments {
  readonly client: Client;
  readonly server: FoundServer;
  readonly terminal: Terminal;
  readonly isJson: boolean;
  /** Prints a reply: the data as JSON with --json, otherwise the text. */
  readonly show: (data: unknown, text: () => string) => ExitCode;
}

interface ServerCommand extends Omit<CliCommand, "run"> {
  /** Whether the command sends the operator's token, if it finds one. */
  readonly isForOperators?: (args: CommandArguments) => boolean;
  readonly execute: (context: CommandContext) => Promise<ExitCode>;
}

const serverOptions: Readonly<Record<string, CommandOption>> = {
  url: { value: "URL", summary: "the server (default: $HOLDFAST_URL, else the server of the nearest .holdfast)" },
  data: { value: "DIR", summary: "the server that runs on this data folder" },
  "token-file": tokenFileOption,
  verbose: { summary: "print the address of the server to standard error" },
  json: { summary: "print JSON" },
};

/** The option of commands that only read. */
export const localOption: Readonly<Record<string, CommandOption>> = {
  local: { summary: "read the state of one node, which may be behind the head of a shared journal" },
};

function onlyReads({ operations = [] }: Pick<CliCommand, "operations">): boolean {
  return operations.length > 0 && operations.every((name) => operationData(name)?.kind === "read");
}

/** Adds the options and the connection to a command that calls a server. */
export function serverCommand({ execute, isForOperators, ...command }: ServerCommand): CliCommand {
  const options = { ...command.options, ...serverOptions };
  return {
    ...command,
    options: onlyReads(command) ? { ...options, ...localOption } : options,
    run: (args, terminal) =>
      withFailureReport(args, terminal, async () => {
        const isOperator = isForOperators?.(args) ?? false;
        const server = isOperator ? operatorServerOf(args, terminal) : serverOf(args, terminal);
        await using client = await connectAs(args, terminal, { server, isOperator });
        return await execute(contextOf(args, terminal, { client, server }));
      }),
  };
}

function contextOf(
  args: CommandArguments,
  terminal: Terminal,
  connection: Pick<CommandContext, "client" | "server">,
): CommandContext {
  const isJson = args.values["json"] === true;
  return {
    ...args,
    ...connection,
    terminal,
    isJson,
    show(data, text) {
      terminal.print(isJson ? jsonLine(data) : text());
      return exitCodes.done;
    },
  };
}

/** Connects as the agent that the environment names. */
export async function connectAs(
  args: CommandArguments,
  terminal: Terminal,
  { server, isOperator }: { readonly server: FoundServer; readonly isOperator: boolean },
): Promise<Client> {
  const token = await tokenOf(args, terminal, { server, isOperator });
  warnOfWithheldSecrets(terminal, server);
  if (args.values["verbose"] === true) terminal.warn(`holdfast: using the server ${server.url} (from ${server.from})`);
  const reads: Reads | undefined = args.values["local"] === true ? "local" : undefined;
  const client = await clientOf(server, defined({ token, reads }));
  const { HOLDFAST_AGENT_ID: agent = "", HOLDFAST_AGENT_SECRET: secret = "" } = terminal.env;
  if (agent === "" || isOperator) return client;
  const isSent = secret !== "" && tokenRisk(server) === undefined;
  return client.as(isSent ? { agent_id: agent, secret } : { agent_id: agent });
}

async function clientOf(
  server: FoundServer,
  options: { readonly token?: string; readonly reads?: Reads },
): Promise<Client> {
  const { operatorSocket } = server;
  if (operatorSocket === undefined) return connectTo(server, options);
  // Loaded on demand: only operators need it.
  const { connectOperator } = await import("../../../assembly/connect-operator.ts");
  return connectOperator(server, operatorSocket, options);
}
