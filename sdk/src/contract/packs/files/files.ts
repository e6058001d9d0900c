/** The pack `files`: published versions of files that are whole or absent after any crash. */
import { withProblemData } from "../../problem.ts";
import { filesProblemData } from "../files-problem-data.ts";
import { definePack } from "../pack.ts";
import { filesEvents } from "./files-events.ts";
import { filesOperations } from "./files-operations.ts";
import { filesProblems } from "./files-problems.ts";
import { filesReads } from "./files-reads.ts";

export const files = definePack({
  name: "files",
  summary: "Published versions of files that are whole or absent after any crash.",
  resources: [],
  operations: [...filesOperations, ...filesReads],
  events: filesEvents,
  problems: withProblemData(filesProblems, filesProblemData),
  needs: ["lock_manager"],
});
