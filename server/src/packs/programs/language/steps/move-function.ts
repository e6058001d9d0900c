import { changeGraph, failStep, type StepContext, type StepOf } from "./step-context.ts";

export function moveFunction(context: StepContext, step: StepOf<"move_function">): void {
  if (context.draft.module(step.module_id) === undefined)
    failStep("name.unknown", `There is no module ${step.module_id}`);
  changeGraph(context, step.function_id, (graph) => ({ ...graph, module: step.module_id }));
}
