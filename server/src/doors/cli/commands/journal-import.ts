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
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
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
    "The author of the file may know the secrets of its tokens. The first start therefore revokes them all. Pass",
    "--keep-tokens only for a journal of your own.",
    "",
    "  holdfast journal import journal.ndjson --data ./copy",
    "  gunzip < journal.ndjson.gz | holdfast journal import - --data ./copy",
  ],
  options: {
    data: dataOption,
    kinds: kindsOption,
    "keep-tokens": { summary: "keep the tokens of the file valid" },
    json: { summary: "print a summary as one JSON object" },
  },
  run: (args, terminal) => withFailureReport(args, terminal, () => runImport(args, terminal)),
};

async function runImport(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const [name = ""] = args.positionals;
  const kinds = await loadKinds(args, terminal);
  const exported = await textOf(name === "-" ? "-" : resolve(terminal.folder, name));
  const progress = new Progress(terminal, systemClock);
  const folder = dataFolderOf(args, terminal);
  const { verified, entryCount, head, revokesTokens } = await importJournal(folder, exported, {
    from: name === "-" ? "standard input" : resolve(terminal.folder, name),
    kinds,
    keepsTokens: args.values["keep-tokens"] === true,
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
      jsonLine({
        event: "imported",
        ok: verified.ok,
        entries: entryCount,
        head: text,
        revokes_tokens: revokesTokens,
        first_bad: firstBad,
      }),
    );
  } else {
    terminal.print(`imported ${entryCount} entries into ${folder}\nhead ${text}`);
    if (revokesTokens) terminal.print("The first start revokes all tokens of the file; --keep-tokens keeps them.");
    if (firstBad !== undefined) {
      const { position, what, expected, found } = firstBad;
      terminal.warn(`holdfast: position ${position} is invalid (${what}); it and all later entries were not imported.`);
      terminal.warn(`  expected ${escapeControlChars(expected)}\n  found    ${escapeControlChars(found)}`);
    }
  }
  return verified.ok ? exitCodes.done : exitCodes.damaged;
}

async function textOf(file: string): Promise<AsyncIterable<string>> {
  if (file === "-") return process.stdin.setEncoding("utf8") as AsyncIterable<string>;
  try {
    await access(file);
  } catch (cause) {
    throw Object.assign(new Error(`cannot read ${file}. Check that it exists and is readable.`, { cause }), {
      code: "io",
    });
  }
  return createReadStream(file, { encoding: "utf8" });
}
