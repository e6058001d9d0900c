import { isReserved } from "../ops/op-table.ts";
import { namePattern } from "../name-pattern.ts";
import { changeGraph, failProgramStep, type StepContext, type StepOf } from "./step-context.ts";

/** Callers name a function by its id, so they do not change. */
export function renameFunction(context: StepContext, step: StepOf<"rename_function">): void {
  if (!namePattern.test(step.name) || isReserved(step.name))
    failProgramStep("syntax.unexpected", `${step.name} cannot be a name`);
  changeGraph(context, step.function_id, (graph) => ({ ...graph, name: step.name }));
}
