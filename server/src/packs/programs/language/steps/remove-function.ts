import { functionIn, type StepContext, type StepOf } from "./step-context.ts";

/** Callers that remain are found by the check of types. */
export function removeFunction(context: StepContext, step: StepOf<"remove_function">): void {
  functionIn(context, step.function_id);
  context.draft.set("function", step.function_id, undefined);
}
