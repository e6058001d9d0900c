import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { verifyPublishedFiles } from "../../../assembly/verify-published-files.ts";
import { configOf, configOptions } from "../args/config-options.ts";
import { storageRootsOf } from "../args/serve-options.ts";
import type { CliCommand, CommandArguments, CommandOption, Terminal } from "../command.ts";
import { dataFolderOf, dataOption } from "../discovery/data-option.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { withFailureReport } from "../terminal/failure-report.ts";
import { Progress } from "../terminal/progress.ts";

const { "storage-roots": roots, config } = configOptions() as Readonly<
  Record<"storage-roots" | "config", CommandOption>
>;

export const filesVerifyCommand: CliCommand = {
  name: "files verify",
  positionalsMax: 0,
  summary: "compare the published files on the disk with the journal",
  details: [
    "Reads every file of every version that the journal names and compares it with its digest. It reports versions that are",
    "missing or damaged, and folders that the journal does not know.",
    "",
    "It changes nothing, and a server may run on the folder.",
    "",
    "  holdfast files verify",
    "  holdfast files verify --data /srv/holdfast --storage-roots main=/mnt/files",
  ],
  options: { data: dataOption, "storage-roots": roots, config, json: { summary: "print one JSON object" } },
  run: (args, terminal) => withFailureReport(args, terminal, () => runVerify(args, terminal)),
};

async function runVerify(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const progress = new Progress(terminal, systemClock);
  const { ok, versions, files, bytes, faults } = await verifyPublishedFiles({
    ...storageRootsOf(configOf(args, terminal).config),
    data: dataFolderOf(args, terminal),
    onProgress: (done, total) => {
      progress.show("verified versions", done, total);
    },
  });
  progress.end();
  const counted = `${String(versions)} versions, ${String(files)} files, ${String(bytes)} bytes`;
  const lines = faults.map(({ root, path, kind, reason }) =>
    escapeControlChars(`  ${kind}: ${path} in the storage root ${root}${reason === undefined ? "" : `: ${reason}`}`),
  );
  const text = [ok ? `Valid: ${counted}.` : `NOT valid: ${counted}.`, ...lines].join("\n");
  terminal.print(args.values["json"] === true ? jsonLine({ ok, versions, files, bytes, faults }) : text);
  return ok ? exitCodes.done : exitCodes.damaged;
}
