import { writeFunction } from "../write-function.ts";
import { functionIn, StepFailed, type StepContext, type StepOf } from "./step-context.ts";

export function setFunction(context: StepContext, step: StepOf<"set_function">): void {
  const base = functionIn(context, step.function_id);
  const { draft: scope, hash } = context;
  const written = writeFunction(step.text, { scope, module: base.module, base, hash });
  if (written.value === undefined) throw new StepFailed(written.errors);
  if (written.value.name !== base.name) {
    const message = `The text names ${written.value.name}, the function is ${base.name}: use rename_function`;
    throw new StepFailed([{ code: "name.unknown", message, suggestion: base.name }]);
  }
  scope.set("function", step.function_id, written.value);
}
