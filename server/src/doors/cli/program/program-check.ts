import type { CliCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { localOption, serverCommand } from "../discovery/server-command.ts";
import { findingLines } from "../terminal/finding-lines.ts";
import { placedFindings } from "./placed-findings.ts";
import { programCall, programOperations } from "./program-calls.ts";
import { moduleOption, textChange } from "./text-change.ts";

export const programCheckCommand: CliCommand = serverCommand({
  name: "program check",
  usage: "PROGRAM[/FUNCTION] [FILE]",
  positionalsMin: 1,
  positionalsMax: 2,
  summary: "check a text file against a program, without locks and without a change",
  details: [
    "Checks what `holdfast program apply` would do: text, types and conditions of the changed functions and of all their",
    "callers. It prints the findings and the locks that the change needs. With findings the exit code is 7.",
    "",
    "  holdfast program check ledger work.txt",
  ],
  options: { module: moduleOption, ...localOption },
  operations: programOperations("programs.check-mutation", "programs.get-function", "programs.list-functions"),
  async execute(context) {
    // Only the content is checked, so the versions in the file do not matter.
    const change = await textChange({ ...context, values: { ...context.values, blind: true } });
    const { program, mutations } = change;
    const checked = await programCall(context, "programs.check-mutation", { program_id: program, mutations });
    const errors = placedFindings(checked.errors, change);
    const warnings = placedFindings(checked.warnings, change);
    const { write, read } = checked.needs;
    const locks = [
      ...(write.length === 0 ? [] : [`write locks of ${write.join(", ")}`]),
      ...(read.length === 0 ? [] : [`read locks of ${read.join(", ")}`]),
    ];
    context.show({ ...checked, errors, warnings }, () =>
      [
        checked.ok ? `${program}: the change is valid.` : `${program}: the change is not valid.`,
        ...findingLines(errors),
        ...findingLines(warnings),
        ...(locks.length === 0 ? [] : [`It needs ${locks.join(" and ")}.`]),
      ].join("\n"),
    );
    return checked.ok ? exitCodes.done : exitCodes.refused;
  },
});
