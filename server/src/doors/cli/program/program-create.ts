import { defined } from "@holdfast/sdk/base/defined";
import { textOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { wholeProgramArgument, programCall, programOperations } from "./program-calls.ts";

export const programCreateCommand: CliCommand = serverCommand({
  name: "program create",
  usage: "PROGRAM",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "create an empty program",
  details: [
    "Creates an empty program. `holdfast program apply` adds functions and types to it.",
    "",
    '  holdfast program create ledger --title "The ledger"',
  ],
  options: {
    title: { value: "TEXT", summary: "the name of the program for people (default: PROGRAM)" },
    description: { value: "TEXT", summary: "the purpose of the program" },
    key: { value: "KEY", summary: "the idempotency key: a repeated key returns the first reply and changes nothing" },
  },
  operations: programOperations("programs.create"),
  async execute(context) {
    const { values, show, positionals } = context;
    const program_id = wholeProgramArgument(positionals[0]);
    const description = textOption(values, "description");
    const input = { program_id, name: textOption(values, "title") ?? program_id, ...defined({ description }) };
    const created = await programCall(context, "programs.create", input, { key: textOption(values, "key") });
    return show(created, () => `created ${created.program_id}, at version ${created.version}.`);
  },
});
