import { HoldfastError } from "@holdfast/sdk";
import { jsonLine } from "../../../base/json-line.ts";
import type { Command, CommandArguments, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { escapeControlCharsByLine } from "../terminal/escape-control-chars.ts";
import { entityArgument, numberOption } from "../args/option-values.ts";
import { withFailureReport } from "../terminal/failure-report.ts";
import { readServerOrFolder, sourceOptions } from "../discovery/read-server-or-folder.ts";

export const versionOptions = {
  version: { value: "V", summary: "as it was at this version" },
  at: { value: "POSITION", summary: "as it was after the entry at this position" },
} as const;

export const getCommand: Command = {
  name: "get",
  usage: "TYPE/ID",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "show an entity, as it is or as it was",
  details: [
    "Shows an entity as JSON: its value, version and revision, who changed it last and when. With --version or --at it",
    "shows the entity as it was then. It asks the server that --url, HOLDFAST_URL or the nearest .holdfast names. If none",
    "runs, or with --data, it reads the journal and its archive in the data folder itself.",
    "",
    "  holdfast get note/first",
    "  holdfast get note/first --version 3",
    "  holdfast get note/first --at 1042",
  ],
  options: { ...sourceOptions, ...versionOptions, json: { summary: "print one object of JSON, on one line" } },
  operations: ["get-entity"],
  run: (args, terminal) => withFailureReport(args, terminal, () => getEntity(args, terminal)),
};

async function getEntity(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const target = entityArgument(args.positionals[0] ?? "");
  const moment = versionOf(args);
  const data = await readServerOrFolder<unknown>(args, terminal, {
    server: (client) => client.entities.get(target.type, target.id, moment),
    async folder(path) {
      const { readDataFolder } = await import("../../../assembly/data-folder.ts");
      const folder = readDataFolder(path);
      try {
        const outcome = folder.entity(target, moment);
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

/** Which state of an entity is meant. */
export function versionOf({ values }: CommandArguments): { readonly version?: number; readonly position?: number } {
  const version = numberOption(values, "version", 1);
  const position = numberOption(values, "at", 1);
  if (version !== undefined && position !== undefined) throw new UsageError("give --version or --at, not both");
  return { ...(version === undefined ? {} : { version }), ...(position === undefined ? {} : { position }) };
}
