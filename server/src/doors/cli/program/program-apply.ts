import { defined } from "@holdfast/sdk/base/defined";
import { textOption } from "../args/option-values.ts";
import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { mutationText } from "./mutation-text.ts";
import { waitOption, withNeededLocks } from "./needed-locks.ts";
import { withPlacedFindings } from "./placed-findings.ts";
import { programCall, programOperations } from "./program-calls.ts";
import { moduleOption, textChange } from "./text-change.ts";

export const programApplyCommand: CliCommand = serverCommand({
  name: "program apply",
  usage: "PROGRAM[/FUNCTION] [FILE]",
  positionalsMin: 1,
  positionalsMax: 2,
  summary: "add or change functions and types from a text file, verified together",
  details: [
    "Applies all functions and types of a file, or of standard input, in one mutation. An item that exists is changed, by",
    "the id above its text or by its name. A new item is added. The command acquires the locks that the change needs and",
    "releases them. If another agent changed an item after its version was printed, nothing is applied and the output has",
    "the difference. If a type or a condition fails, nothing is applied and the output has the findings.",
    "",
    "  holdfast program show ledger/f1 > work.txt    # edit work.txt",
    '  holdfast program apply ledger work.txt --description "round half up"',
    "  holdfast program apply ledger new-functions.txt --wait 30s --name ann",
  ],
  options: {
    description: { value: "TEXT", summary: "the purpose of the change, for the history and for waiters" },
    module: moduleOption,
    blind: { summary: "overwrite any version without reading it" },
    wait: waitOption,
  },
  operations: programOperations("programs.mutate", "programs.get-function", "programs.list-functions"),
  async execute(context) {
    const change = await textChange(context);
    const { program, mutations, expectedHashes } = change;
    const description = textOption(context.values, "description");
    const input = {
      ...{ program_id: program, mutations, expected_hashes: expectedHashes },
      ...defined({ description }),
    };
    const accepted = await withPlacedFindings(change, () =>
      withNeededLocks(context, description, (agent) => programCall(context, "programs.mutate", input, { agent })),
    );
    return context.show(accepted, () => mutationText(accepted));
  },
});
