import { changeGraph, failProgramStep, type StepContext, type StepOf } from "./step-context.ts";

export function moveFunction(context: StepContext, step: StepOf<"move_function">): void {
  if (context.draft.module(step.module_id) === undefined)
    failProgramStep("name.unknown", `There is no module ${step.module_id}`);
  changeGraph(context, step.function_id, (graph) => ({ ...graph, module: step.module_id }));
}
