import { createWriteStream, existsSync } from "node:fs";
import { link, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { type DataFolder, headText, readDataFolder } from "../../../assembly/data-folder.ts";
import type { CliCommand, CommandArguments, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, dataFolderOf } from "../discovery/data-option.ts";
import { textOption } from "../args/option-values.ts";
import { Progress } from "../terminal/progress.ts";
import { withFailureReport } from "../terminal/failure-report.ts";

export const journalExportCommand: CliCommand = {
  name: "journal export",
  positionalsMax: 0,
  writesData: true,
  summary: "write the whole journal as lines of JSON",
  details: [
    "Writes the whole journal, including the archive, one batch per line, to standard output or to a file. The lines",
    "contain the exact stored text, so `holdfast journal import` restores the same positions and hashes. A server may run",
    "on the folder. The file appears under its name only when it is complete.",
    "",
    "  holdfast journal export --to journal.ndjson",
    "  holdfast journal export | gzip > journal.ndjson.gz",
    "  holdfast journal export | jq -r '.lines[0] | fromjson | .[2] as $names | .[3][] | $names[.[4]]'",
  ],
  options: {
    data: dataOption,
    to: { value: "FILE", summary: "a file that does not exist yet (default: standard output)" },
    json: { summary: "with --to: print a summary as one JSON object" },
  },
  run: (args, terminal) => withFailureReport(args, terminal, () => exportJournal(args, terminal)),
};

async function exportJournal(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const { values } = args;
  const to = textOption(values, "to");
  if (to === undefined && values["json"] === true)
    throw new UsageError("--json needs --to; without it the output is JSON already");
  const folder = readDataFolder(dataFolderOf(args, terminal));
  const progress = new Progress(terminal, systemClock);
  try {
    const head = folder.head();
    const lines = Readable.from(linesOf(folder, head.position, progress));
    if (to === undefined) {
      await pipeline(lines, terminal.output, { end: false });
      progress.end();
      return exitCodes.done;
    }
    const file = resolve(terminal.folder, to);
    if (existsSync(file)) throw new UsageError(`${file} already exists; choose another name`);
    await writeAtomically(file, lines);
    progress.end();
    const text = headText(head);
    const json = { event: "exported", file, entries: head.position, head: text };
    terminal.print(
      values["json"] === true ? jsonLine(json) : `exported ${head.position} entries to ${file}\nhead ${text}`,
    );
    return exitCodes.done;
  } finally {
    folder.close();
  }
}

/** Exports up to the head at the start, so that the printed head is correct while a server appends. */
function* linesOf(folder: DataFolder, head: number, progress: Progress): Iterable<string> {
  for (const { line, position } of folder.lines()) {
    if (position > head) return;
    progress.show("exported", position, head);
    yield `${line}\n`;
  }
}

/** Writes a temporary file and links it at the end. A file of this name is never incomplete, and never overwritten. */
async function writeAtomically(file: string, lines: Readable): Promise<void> {
  const part = `${file}.part`;
  try {
    // A killed export may have left the part. `wx` then follows no link that another user put there.
    await rm(part, { force: true });
    await pipeline(lines, createWriteStream(part, { flush: true, flags: "wx", mode: 0o600 }));
    await link(part, file);
  } catch (error) {
    throw error instanceof Error && "syscall" in error ? unwritable(file, error) : error;
  } finally {
    // In a shared folder the part may belong to another user. The error above reports it.
    await rm(part, { force: true }).catch(() => undefined);
  }
}

function unwritable(file: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return Object.assign(new Error(`cannot write ${file}: ${reason}`, { cause }), { code: "io" });
}
