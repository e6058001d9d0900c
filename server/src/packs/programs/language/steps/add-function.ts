import { mainModule } from "../function-value.ts";
import { writeFunction } from "../write-function.ts";
import { StepFailed, type StepContext, type StepOf } from "./step-context.ts";

export function addFunction(context: StepContext, step: StepOf<"add_function">): void {
  const { draft: scope, hash, reserved } = context;
  const written = writeFunction(step.text, { scope, module: step.module_id ?? mainModule, hash });
  if (written.value === undefined) throw new StepFailed(written.errors);
  scope.set("function", reserved, written.value);
  context.created.push({ kind: "function", id: reserved });
}
