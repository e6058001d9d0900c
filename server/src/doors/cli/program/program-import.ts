import type { CliCommand } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { importPages, missingSections, sectionsOf } from "./import-pages.ts";
import { mutationText } from "./mutation-text.ts";
import { waitOption, withNeededLocks } from "./needed-locks.ts";
import { withPlacedFindings } from "./placed-findings.ts";
import { programCall, programOperations, wholeProgramArgument } from "./program-calls.ts";
import { readExport } from "./read-export.ts";
import { readTextArgument } from "./text-change.ts";

export const programImportCommand: CliCommand = serverCommand({
  name: "program import",
  usage: "PROGRAM [FILE]",
  positionalsMin: 1,
  positionalsMax: 2,
  summary: "add the items of an export to a program",
  details: [
    "Adds the modules, types and functions of an export with their ids, in pages of at most 512 KB. Each page is one",
    "mutation. Items that the program has already with the same text are skipped, so an import that was stopped can be",
    "repeated. A program that is not empty is locked as a whole.",
    "",
    "  holdfast program create copy",
    "  holdfast program import copy ledger.txt",
  ],
  options: { wait: waitOption },
  operations: programOperations("programs.import", "programs.export"),
  async execute(context) {
    const [target, argument] = context.positionals;
    const program_id = wholeProgramArgument(target);
    const sections = sectionsOf(await readTextArgument(argument, context.terminal));
    if (sections.length === 0) throw new UsageError('the file has no item; each begins with a line like @id("f1")');
    const missing = missingSections(sections, sectionsOf(await readExport(context, program_id)));
    const file = argument ?? "standard input";
    const imported = [];
    for (const page of importPages(missing)) {
      const text = page.map((section) => section.text).join("\n\n");
      // The first line of a section is its mark, which is not part of the text of the step.
      const items = page.map(({ line }) => ({ kind: "function", name: "", text: "", line: line + 1 }) as const);
      const change = { program: program_id, mutations: [], expectedHashes: {}, file, items };
      const reply = await withPlacedFindings(change, () =>
        withNeededLocks(context, "import", (agent) =>
          programCall(context, "programs.import", { program_id, text }, { agent }),
        ),
      );
      imported.push(reply);
      if (!context.isJson) context.terminal.print(mutationText(reply));
    }
    if (context.isJson) return context.show(imported, () => "");
    if (imported.length === 0) context.terminal.print(`${program_id} has all ${sections.length} items already.`);
    return exitCodes.done;
  },
});
