import { resolve } from "node:path";
import { readDataFolder } from "../../../assembly/data-folder.ts";
import { auditFilesOf, verifyAudit } from "../../../assembly/verify-audit.ts";
import type { VerifiedAudit } from "../../../assembly/verify-audit.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { UsageError } from "../args/usage-error.ts";
import type { CliCommand, CommandArguments, Terminal } from "../command.ts";
import { dataFolderOf, dataOption } from "../discovery/data-option.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { withFailureReport } from "../terminal/failure-report.ts";

/** Maximum number of files. */
const filesMax = 100_000;

export const auditVerifyCommand: CliCommand = {
  name: "audit verify",
  usage: "[FILE…]",
  positionalsMax: filesMax,
  summary: "verify that an audit file has no gap, no repeat and no damaged line",
  details: [
    "Verifies the sum of each line, and that each line follows the one before it. With --data each line is also compared",
    "with its entry in the journal, and each entry must have its line. The files may be given in any order.",
    "",
    "Without FILE it verifies all audit files of the data folder, and compares them with its journal. It changes nothing,",
    "and a server may run on the folder.",
    "",
    "  holdfast audit verify",
    "  holdfast audit verify /backup/audit-*.ndjson /backup/audit.ndjson",
    "  holdfast audit verify copy.ndjson --data /var/lib/holdfast",
  ],
  options: { data: dataOption, json: { summary: "print one JSON object" } },
  run: (args, terminal) => withFailureReport(args, terminal, () => runAuditVerify(args, terminal)),
};

async function runAuditVerify(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const { positionals, values } = args;
  const data = positionals.length > 0 && values["data"] === undefined ? undefined : dataFolderOf(args, terminal);
  const given = positionals.map((file) => resolve(terminal.folder, file));
  const files = given.length > 0 || data === undefined ? given : await auditFilesOf(data);
  if (files.length === 0) {
    throw new UsageError(
      `there is no audit file in ${data ?? "."}: start the server with --audit-log file, or name the files`,
    );
  }
  const journal = data === undefined ? undefined : readDataFolder(data);
  try {
    const verified = await verifyAudit(files, journal);
    terminal.print(values["json"] === true ? jsonLine(auditJson(verified)) : auditText(verified));
    return verified.ok ? exitCodes.done : exitCodes.damaged;
  } finally {
    journal?.close();
  }
}

function auditJson({ isTorn, missing, fault, ...verified }: VerifiedAudit): Readonly<Record<string, unknown>> {
  return { ...verified, unfinished_line: isTorn, missing: missing ?? null, first_bad: fault ?? null };
}

function auditText(verified: VerifiedAudit): string {
  const { ok, files, lines, after, to, restores, isTorn, missing, fault } = verified;
  const count = `${lines} in ${files.length} ${files.length === 1 ? "file" : "files"}`;
  return [
    ok
      ? "Valid."
      : `NOT valid: ${escapeControlChars(fault?.file ?? "")}, line ${fault?.line ?? 0}: ${fault?.what ?? ""}.`,
    `  lines    ${count}, positions ${after + 1} to ${to}`,
    ...(restores === 0 ? [] : [`  restores ${restores} marked; the lines of a lost history are not in the journal`]),
    ...(isTorn ? ["  end      unfinished; a running server completes it, and the next start removes it"] : []),
    ...(missing === undefined ? [] : [`  journal  each line equals its entry; ${missing} entries have no line yet`]),
    ...(ok ? [] : ["Compare a copy, or move the files away: a server then writes the file again from its journal."]),
  ].join("\n");
}
