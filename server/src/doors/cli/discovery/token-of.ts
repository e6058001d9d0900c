/**
 * The token of a command. A token is sent only to a server that the user named. An address in a folder may come from a
 * repository or from another user. The token of a data folder is sent only over the operator's socket of that folder.
 * Another program may listen on the port of a crashed server.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { tokenRisk } from "@holdfast/sdk/find-server";
import type { FoundServer } from "@holdfast/sdk/found-server";
import { textOption } from "../args/option-values.ts";
import { UsageError } from "../args/usage-error.ts";
import type { CommandArguments, CommandOption, Terminal } from "../command.ts";
import { readFolderToken } from "./read-folder-token.ts";

/**
 * The option of each command that sends a token. A token itself is not an option, because all users of the host can
 * read options.
 */
export const tokenFileOption: CommandOption = {
  value: "FILE",
  summary: "the file with the token to send, or - for standard input (default: $HOLDFAST_TOKEN)",
};

/** The secrets of the environment. */
export const secretVariables = ["HOLDFAST_TOKEN", "HOLDFAST_OPERATOR_TOKEN", "HOLDFAST_AGENT_SECRET"] as const;

interface TokenOptions {
  readonly server: FoundServer;
  readonly isOperator: boolean;
}

/** The given token. A command for operators falls back to the operator's token of this host. */
export async function tokenOf(
  args: CommandArguments,
  terminal: Terminal,
  { server, isOperator }: TokenOptions,
): Promise<string | undefined> {
  const file = textOption(args.values, "token-file");
  const risk = tokenRisk(server);
  if (file !== undefined) {
    if (file === "-" && args.positionals.includes("-")) {
      throw new UsageError(
        "standard input is either the token or the input of the command: pass one of them as a file",
      );
    }
    if (risk === undefined) return readTokenFile(file, terminal);
    throw new UsageError(`the token of --token-file is not sent: ${risk}; ${nextStep}`);
  }
  const names = isOperator ? (["HOLDFAST_TOKEN", "HOLDFAST_OPERATOR_TOKEN"] as const) : (["HOLDFAST_TOKEN"] as const);
  const given = risk === undefined ? firstSet(terminal, names) : undefined;
  return given ?? (isOperator ? folderToken(server) : undefined);
}

/** Warns once about the secrets of the environment that are not sent. */
export function warnOfWithheldSecrets(terminal: Terminal, server: FoundServer): void {
  const risk = tokenRisk(server);
  const set = secretVariables.filter((name) => firstSet(terminal, [name]) !== undefined);
  if (risk === undefined || set.length === 0) return;
  const verb = set.length === 1 ? "is" : "are";
  terminal.warn(`holdfast: ${set.join(" and ")} ${verb} not sent: ${risk}; ${nextStep}.`);
}

const nextStep = "name the server with --url, --data or HOLDFAST_URL";

/** The operator's token of the data folder, if its server proves itself by listening inside that folder. */
function folderToken({ folder, operatorSocket }: FoundServer): string | undefined {
  if (folder === undefined) return undefined;
  const token = readFolderToken(folder);
  if (token === undefined || operatorSocket !== undefined) return token;
  throw new UsageError(
    `the operator's token of ${folder} is sent only over the operator's socket there, and there is none: ` +
      "start the server with `holdfast up`, or name the server with --url and the token with --token-file",
  );
}

function firstSet({ env }: Terminal, names: readonly string[]): string | undefined {
  return names.map((name) => env[name] ?? "").find((text) => text !== "");
}

/** Maximum characters of a token. */
const tokenLengthMax = 512;

async function readTokenFile(file: string, terminal: Terminal): Promise<string> {
  const text = file === "-" ? await terminal.readInput() : readText(resolve(terminal.folder, file), file);
  const token = text.trim();
  if (/^[\x21-\x7e]+$/u.test(token) && token.length <= tokenLengthMax) return token;
  const source = file === "-" ? "standard input" : file;
  throw new UsageError(`${source} does not contain a token: one line of at most ${tokenLengthMax} characters`);
}

function readText(path: string, file: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`--token-file ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "error"})`);
  }
}
