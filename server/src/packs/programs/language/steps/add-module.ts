import { languageLimits } from "../language-limits.ts";
import { mainModule, type ModuleValue } from "../function-value.ts";
import { isReserved } from "../ops/op-table.ts";
import { namePattern } from "../name-pattern.ts";
import { failProgramStep, type StepContext, type StepOf } from "./step-context.ts";

function checkName(
  { draft }: StepContext,
  { id, name, parent }: { id: string; name: string; parent: string | null },
): void {
  if (!namePattern.test(name) || isReserved(name)) failProgramStep("syntax.unexpected", `${name} cannot be a name`);
  const isTaken = draft.names
    .modulesNamed(name)
    .some((other) => other !== id && draft.module(other)?.parent === parent);
  if (isTaken) failProgramStep("name.duplicate", `Another module has the name ${name}`);
}

function moduleIn({ draft }: StepContext, id: string): ModuleValue {
  return draft.module(id) ?? failProgramStep("name.unknown", `There is no module ${id}`);
}

export function addModule(context: StepContext, step: StepOf<"add_module">): void {
  const { draft, reserved } = context;
  const parent = step.parent ?? null;
  let depth = 1;
  for (let above = parent; above !== null; above = moduleIn(context, above).parent) depth += 1;
  if (depth > languageLimits.moduleDepth)
    failProgramStep("graph.limit", `Modules are nested at most ${languageLimits.moduleDepth} deep`);
  checkName(context, { id: reserved, name: step.name, parent });
  draft.set("module", reserved, { kind: "module", name: step.name, parent });
  context.created.push({ kind: "module", id: reserved });
}

export function renameModule(context: StepContext, step: StepOf<"rename_module">): void {
  const before = moduleIn(context, step.module_id);
  checkName(context, { id: step.module_id, name: step.name, parent: before.parent });
  context.draft.set("module", step.module_id, { ...before, name: step.name });
}

export function removeModule(context: StepContext, step: StepOf<"remove_module">): void {
  const { draft } = context;
  moduleIn(context, step.module_id);
  if (step.module_id === mainModule) failProgramStep("graph.dangling", "The module main cannot be removed");
  const isUsed =
    [...draft.functionIds()].some((id) => draft.function(id)?.module === step.module_id) ||
    [...draft.typeIds()].some((id) => draft.type(id)?.module === step.module_id) ||
    [...draft.moduleIds()].some((id) => draft.module(id)?.parent === step.module_id);
  if (isUsed) failProgramStep("graph.dangling", `The module ${step.module_id} is not empty`);
  draft.set("module", step.module_id, undefined);
}
