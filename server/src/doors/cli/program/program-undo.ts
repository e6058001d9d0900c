import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { restoreMutation } from "./restore-mutation.ts";
import { waitOption } from "./needed-locks.ts";
import { programOperations } from "./program-calls.ts";

export const programUndoCommand: CliCommand = serverCommand({
  name: "program undo",
  usage: "PROGRAM",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "undo the newest mutation of this agent",
  details: [
    "Undoes the newest mutation of this agent, which is known by the user, the project folder and --name. It is checked",
    "like any other change. It is refused if another change built on one of its functions. `holdfast program redo` applies",
    "it again. The list ends with the registration of the agent: after an hour without a command, or with the release of",
    "its last lock of `holdfast take`.",
    "",
    "  holdfast program undo ledger --name ann",
  ],
  options: { wait: waitOption },
  operations: programOperations("programs.get-undo", "programs.undo"),
  execute: (context) => restoreMutation(context, "undo"),
});
