/** The pack `intents`: units of work with a status, corrections from several sides, and runs of bridges. */
import { definePack } from "../pack.ts";
import { withProblemData } from "../../problem.ts";
import { intentsProblemData } from "../intents-problem-data.ts";
import { intent } from "./intent.ts";
import { intentRunOperations } from "./intent-run-operations.ts";
import { intentsEvents } from "./intents-events.ts";
import { intentsOperations } from "./intents-operations.ts";
import { intentsProblems } from "./intents-problems.ts";

export const intents = definePack({
  name: "intents",
  summary: "Units of work with a status, corrections and pipelines that survive a crash.",
  resources: [intent],
  operations: [...intentsOperations, ...intentRunOperations],
  events: intentsEvents,
  problems: withProblemData(intentsProblems, intentsProblemData),
});
