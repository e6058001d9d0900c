import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { headText } from "../../../assembly/data-folder.ts";
import { importJournal } from "../../../assembly/import-journal.ts";
import type { CliCommand, CommandArguments, Terminal } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, dataFolderOf } from "../discovery/data-option.ts";
import { kindsOption, loadKinds } from "../args/load-kinds.ts";
import { Progress } from "../terminal/progress.ts";
import { withFailureReport, warningPrinter } from "../terminal/failure-report.ts";

export const journalImportCommand: CliCommand = {
  name: "journal import",
  usage: "FILE",
  positionalsMin: 1,
  positionalsMax: 1,
  writesData: true,
  summary: "import an exported journal into a data folder",
  details: [
    "Imports the output of `holdfast journal export` into an empty data folder, or into one with the beginning of the same",
    "history. Each batch is verified first, and keeps its positions and hashes. The import stops at the first invalid",
    "batch and keeps all batches before it. FILE may be - for standard input.",
    "",
    "  holdfast journal import journal.ndjson --data ./copy",
    "  gunzip < journal.ndjson.gz | holdfast journal import - --data ./copy",
  ],
  options: {
    data: dataOption,
    kinds: kindsOption,
    json: { summary: "print a summary as one JSON object" },
  },
  run: (args, terminal) => withFailureReport(args, terminal, () => runImport(args, terminal)),
};

async function runImport(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const [name = ""] = args.positionals;
  const kinds = await loadKinds(args, terminal);
  const lines = await linesOf(name === "-" ? "-" : resolve(terminal.folder, name));
  const progress = new Progress(terminal, systemClock);
  const folder = dataFolderOf(args, terminal);
  const { verified, entryCount, head } = await importJournal(folder, lines, {
    from: name === "-" ? "standard input" : resolve(terminal.folder, name),
    kinds,
    report: warningPrinter(terminal),
    onProgress: (position) => {
      progress.count("imported entries", position);
    },
  });
  progress.end();
  const { firstBad } = verified;
  const text = headText(head);
  if (args.values["json"] === true) {
    terminal.print(
      jsonLine({ event: "imported", ok: verified.ok, entries: entryCount, head: text, first_bad: firstBad }),
    );
  } else {
    terminal.print(`imported ${entryCount} entries into ${folder}\nhead ${text}`);
    if (firstBad !== undefined) {
      const { position, what, expected, found } = firstBad;
      terminal.warn(`holdfast: position ${position} is invalid (${what}); it and all later entries were not imported.`);
      terminal.warn(`  expected ${expected}\n  found    ${found}`);
    }
  }
  return verified.ok ? exitCodes.done : exitCodes.damaged;
}

async function linesOf(file: string): Promise<AsyncIterable<string>> {
  if (file === "-") return splitLines(process.stdin);
  try {
    await access(file);
  } catch (cause) {
    throw Object.assign(new Error(`cannot read ${file}. Check that it exists and is readable.`, { cause }), {
      code: "io",
    });
  }
  return splitLines(createReadStream(file));
}

/** Splits at line feeds only. `readline` would also split at characters that a line of JSON may contain. */
async function* splitLines(input: NodeJS.ReadableStream): AsyncGenerator<string, void, undefined> {
  input.setEncoding("utf8");
  let parts: string[] = [];
  for await (const chunk of input) {
    const pieces = String(chunk).split("\n");
    for (const piece of pieces.slice(0, -1)) {
      yield [...parts, piece].join("");
      parts = [];
    }
    parts.push(pieces.at(-1) ?? "");
  }
  const rest = parts.join("");
  if (rest !== "") yield rest;
}
