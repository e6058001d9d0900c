import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { restoreMutation } from "./restore-mutation.ts";
import { waitOption } from "./needed-locks.ts";
import { programOperations } from "./program-calls.ts";

export const programRedoCommand: CliCommand = serverCommand({
  name: "program redo",
  usage: "PROGRAM",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "apply the mutation again that this agent undid last",
  details: [
    "Applies the mutation again that this agent undid last. A new mutation of the agent empties the list.",
    "",
    "  holdfast program redo ledger --name ann",
  ],
  options: { wait: waitOption },
  operations: programOperations("programs.get-undo", "programs.redo"),
  execute: (context) => restoreMutation(context, "redo"),
});
