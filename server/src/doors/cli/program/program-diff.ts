import { defined } from "@holdfast/sdk/base/defined";
import type { CliCommand } from "../command.ts";
import { localOption, serverCommand } from "../discovery/server-command.ts";
import { escapeControlCharsByLine } from "../terminal/escape-control-chars.ts";
import { functionArgument, programCall, programOperations } from "./program-calls.ts";

export const programDiffCommand: CliCommand = serverCommand({
  name: "program diff",
  usage: "PROGRAM/FUNCTION FROM [TO]",
  positionalsMin: 2,
  positionalsMax: 3,
  summary: "compare two versions of a function",
  details: [
    "Compares two versions of a function, which are numbers or hashes. The default of TO is the current version. --json",
    "shows the changed nodes and edges.",
    "",
    "  holdfast program diff ledger/f1 1 2",
  ],
  options: { ...localOption },
  operations: programOperations("programs.diff-functions"),
  async execute(context) {
    const [target, from = "", to] = context.positionals;
    const { program, item } = functionArgument(target);
    const input = { program_id: program, function_id: item, from, ...defined({ to }) };
    const compared = await programCall(context, "programs.diff-functions", input);
    const { text_diff: diff, from: older, to: newer } = compared;
    return context.show(compared, () =>
      diff === ""
        ? `versions ${older.version} and ${newer.version} of ${item} are equal.`
        : escapeControlCharsByLine(`${item}: version ${older.version} to version ${newer.version}\n${diff.trimEnd()}`),
    );
  },
});
