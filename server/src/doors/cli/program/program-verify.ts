import type { CliCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { localOption, serverCommand } from "../discovery/server-command.ts";
import { findingLines } from "../terminal/finding-lines.ts";
import { programCall, programOperations, wholeProgramArgument } from "./program-calls.ts";

export const programVerifyCommand: CliCommand = serverCommand({
  name: "program verify",
  usage: "PROGRAM",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "check a whole program without caches",
  details: [
    "Checks every hash, every text, every type and every condition of a program. If it is not valid, the exit code is 7.",
    "",
    "  holdfast program verify ledger",
  ],
  options: { ...localOption },
  operations: programOperations("programs.verify"),
  async execute(context) {
    const program_id = wholeProgramArgument(context.positionals[0]);
    const verified = await programCall(context, "programs.verify", { program_id });
    const {
      valid,
      errors,
      warnings,
      wrong_hashes: wrong,
      functions,
      nodes,
      tested,
      untested,
      cases,
      position,
    } = verified;
    context.show(verified, () =>
      [
        `${program_id} is ${valid ? "valid" : "not valid"} at position ${position}: ${functions} functions, ${nodes} nodes, ` +
          `${tested} tested with ${cases} cases, ${untested} untested.`,
        ...wrong.map((item) => `  ${item}: the hash does not match the content`),
        ...findingLines(errors),
        ...findingLines(warnings),
      ].join("\n"),
    );
    return valid ? exitCodes.done : exitCodes.refused;
  },
});
