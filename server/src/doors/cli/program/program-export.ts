import type { CliCommand } from "../command.ts";
import { localOption, serverCommand } from "../discovery/server-command.ts";
import { programOperations, wholeProgramArgument } from "./program-calls.ts";
import { readExport } from "./read-export.ts";

export const programExportCommand: CliCommand = serverCommand({
  name: "program export",
  usage: "PROGRAM",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "print a whole program as text with its ids",
  details: [
    "Prints modules, types and functions with their ids. `holdfast program import` makes the same program of it, with the",
    "same ids and hashes.",
    "",
    "  holdfast program export ledger > ledger.txt",
  ],
  options: { ...localOption },
  operations: programOperations("programs.export"),
  async execute(context) {
    const program_id = wholeProgramArgument(context.positionals[0]);
    const text = await readExport(context, program_id);
    return context.show({ program_id, text }, () => text.trimEnd());
  },
});
