import { defined } from "@holdfast/sdk/base/defined";
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import { jsonLine } from "../../../base/json-line.ts";
import type { CliCommand, CommandArguments, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { escapeControlCharsByLine } from "../terminal/escape-control-chars.ts";
import { entityArgument, numberOption } from "../args/option-values.ts";
import { withFailureReport } from "../terminal/failure-report.ts";
import { readServerOrFolder, sourceOptions } from "../discovery/read-server-or-folder.ts";

export const versionOptions = {
  version: { value: "V", summary: "the entity at this version" },
  at: { value: "POSITION", summary: "the entity after the entry at this position" },
} as const;

export const getCommand: CliCommand = {
  name: "get",
  usage: "TYPE/ID",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "show an entity, or an earlier version of it",
  details: [
    "Shows an entity as JSON: its value, version and revision, and the author and time of the last change. --version and",
    "--at show an earlier version. It calls the server of --url, HOLDFAST_URL or the nearest .holdfast. If no server runs,",
    "or with --data, it reads the journal and its archive in the data folder.",
    "",
    "  holdfast get note/first",
    "  holdfast get note/first --version 3",
    "  holdfast get note/first --at 1042",
  ],
  options: { ...sourceOptions, ...versionOptions, json: { summary: "print one JSON object on one line" } },
  operations: ["get-entity"],
  run: (args, terminal) => withFailureReport(args, terminal, () => getEntity(args, terminal)),
};

async function getEntity(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const target = entityArgument(args.positionals[0] ?? "");
  const version = versionOf(args);
  const data = await readServerOrFolder<unknown>(args, terminal, {
    server: ({ call }) => call("get-entity", { ...target, ...version }),
    async folder(path) {
      const { readDataFolder } = await import("../../../assembly/data-folder.ts");
      const folder = readDataFolder(path);
      try {
        const outcome = folder.entity(target, version);
        if (outcome.kind === "done") return outcome.data;
        throw new HoldfastError("get", outcome.code, { data: outcome.data });
      } finally {
        folder.close();
      }
    },
  });
  const isJson = args.values["json"] === true;
  terminal.print(isJson ? jsonLine(data) : escapeControlCharsByLine(JSON.stringify(data, undefined, 2)));
  return exitCodes.done;
}

/** The version or the position of the requested state. */
export function versionOf({ values }: CommandArguments): { readonly version?: number; readonly position?: number } {
  const version = numberOption(values, "version", 1);
  const position = numberOption(values, "at", 1);
  if (version !== undefined && position !== undefined) throw new UsageError("use --version or --at, not both");
  return defined({ version, position });
}
