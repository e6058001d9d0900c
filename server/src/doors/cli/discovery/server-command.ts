/** A command that calls a running server. It finds the server, calls it as the agent of the command, and ends. */
import { join } from "node:path";
import { defined } from "@holdfast/sdk/base/defined";
import { operationData } from "@holdfast/sdk/data/operation-data";
import type { Client, Reads } from "@holdfast/sdk";
import { tokenRisk } from "@holdfast/sdk/find-server";
import type { FoundServer } from "@holdfast/sdk/found-server";
import { jsonLine } from "../../../base/json-line.ts";
import { nameOption } from "../agent/agent-note.ts";
import { callingAgentOf } from "../agent/calling-agent.ts";
import type { CliCommand, CommandOption, CommandArguments, Terminal } from "../command.ts";
import { operatorTokenFile } from "../../../base/operator-token-file.ts";
import { exitCodes, failureCodeOf } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { noteDefaultServer, operatorServerOf, serverOf } from "./server-of.ts";
import { serverCaller } from "./server-caller.ts";
import type { CallingAgent, ServerCaller } from "./server-caller.ts";
import { tokenFileOption, tokenOf, warnOfWithheldSecrets } from "./token-of.ts";
import { withFailureReport } from "../terminal/failure-report.ts";
import { AgentNames } from "../terminal/agent-names.ts";

/** The arguments of a command, the operations of its server, and its terminal. */
export interface CommandContext extends CommandArguments, ServerCaller {
  readonly server: FoundServer;
  readonly terminal: Terminal;
  readonly isJson: boolean;
  /** The agent in whose name the command calls the server. */
  readonly agent?: CallingAgent | undefined;
  /** Opens a client, for a command that follows events. */
  readonly connect: () => Promise<Client>;
  /** Prints a reply: the data as JSON with --json, otherwise the text. */
  readonly show: (data: unknown, text: () => string) => ExitCode;
}

interface ServerCommand extends Omit<CliCommand, "run"> {
  /** Whether the command sends the operator's token, if it finds one. */
  readonly isForOperators?: (args: CommandArguments) => boolean;
  readonly execute: (context: CommandContext) => Promise<ExitCode>;
}

const serverOptions: Readonly<Record<string, CommandOption>> = {
  name: nameOption,
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
        try {
          const context = await openCommand(args, terminal, { server, isOperator });
          return await execute(context).catch(async (error: unknown) => {
            if (!context.isJson) await new AgentNames(context).nameIn(error);
            throw error;
          });
        } catch (error) {
          if (isOperator && operatorCodes.includes(failureCodeOf(error))) terminal.warn(operatorHint(server));
          throw error;
        }
      }),
  };
}

const operatorCodes = ["not_allowed", "token_required", "token_invalid"];

function operatorHint({ folder }: FoundServer): string {
  const file =
    folder === undefined ? `${operatorTokenFile} in the data folder of the server` : join(folder, operatorTokenFile);
  return `holdfast: this needs the operator's token, which is in ${file}: run the command there, or give --token-file with --url or --data.`;
}

interface CommandServer {
  readonly server: FoundServer;
  readonly isOperator: boolean;
}

/** The context of a command on a server that was found. */
export async function openCommand(
  args: CommandArguments,
  terminal: Terminal,
  { server, isOperator }: CommandServer,
): Promise<CommandContext> {
  const access = await accessOf(args, terminal, { server, isOperator });
  const note = (): void => noteDefaultServer(server, terminal);
  const anonymous = serverCaller({ server, ...access, onFirstCall: note });
  const agent = isOperator ? undefined : await callingAgentOf(args, terminal, { server, caller: anonymous });
  const caller = agent === undefined ? anonymous : serverCaller({ server, ...access, agent });
  const isJson = args.values["json"] === true;
  return {
    ...args,
    ...caller,
    server,
    terminal,
    isJson,
    agent,
    connect() {
      note();
      return clientOf(server, { ...access, ...defined({ agent }) });
    },
    show(data, text) {
      terminal.print(isJson ? jsonLine(data) : text());
      return exitCodes.done;
    },
  };
}

interface Access {
  readonly token?: string;
  readonly reads?: Reads;
}

async function accessOf(args: CommandArguments, terminal: Terminal, target: CommandServer): Promise<Access> {
  const { server } = target;
  const token = await tokenOf(args, terminal, target);
  warnOfWithheldSecrets(terminal, server);
  if (args.values["verbose"] === true) terminal.warn(`holdfast: using the server ${server.url} (from ${server.from})`);
  const reads: Reads | undefined = args.values["local"] === true ? "local" : undefined;
  return defined({ token, reads });
}

/** A client for `holdfast lock`, as the agent that the environment names. */
export async function connectAs(args: CommandArguments, terminal: Terminal, server: FoundServer): Promise<Client> {
  const access = await accessOf(args, terminal, { server, isOperator: false });
  noteDefaultServer(server, terminal);
  const { HOLDFAST_AGENT_ID: id = "", HOLDFAST_AGENT_SECRET: secret = "" } = terminal.env;
  const isSent = secret !== "" && tokenRisk(server) === undefined;
  const agent = id === "" ? undefined : defined({ agent_id: id, secret: isSent ? secret : undefined });
  return clientOf(server, { ...access, ...defined({ agent }) });
}

interface ClientAccess extends Access {
  readonly agent?: CallingAgent;
}

async function clientOf(server: FoundServer, { agent, ...options }: ClientAccess): Promise<Client> {
  const client = await openClient(server, options);
  if (agent === undefined) return client;
  const { agent_id: agentId, secret } = agent;
  return client.as({ agentId, ...defined({ secret }) });
}

/** The client and the library of the operator's socket are loaded on demand: most commands need neither. */
async function openClient(server: FoundServer, options: Access): Promise<Client> {
  const { operatorSocket } = server;
  if (operatorSocket === undefined) return (await import("@holdfast/sdk/connect-to")).connectTo(server, options);
  const { connectOperator } = await import("../../../assembly/connect-operator.ts");
  return connectOperator(server, operatorSocket, options);
}
