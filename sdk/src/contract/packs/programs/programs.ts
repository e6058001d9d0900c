/** The pack `programs`: many agents edit one typed program, and it is verified at every position. */
import { withProblemData } from "../../problem.ts";
import { definePack } from "../pack.ts";
import { programsProblemData } from "../programs-problem-data.ts";
import { program } from "./program.ts";
import { programMutations } from "./program-mutations.ts";
import { programReads } from "./program-reads.ts";
import { programResourceOperations } from "./program-resource-operations.ts";
import { programsEvents } from "./programs-events.ts";
import { programsProblems } from "./programs-problems.ts";

export const programs = definePack({
  name: "programs",
  summary: "Typed programs that many agents edit at the same time, verified at every position.",
  resources: [program],
  operations: [...programResourceOperations, ...programMutations, ...programReads],
  events: programsEvents,
  problems: withProblemData(programsProblems, programsProblemData),
  needs: ["lock_manager"],
});
