import { hashType } from "../hash.ts";
import { definitionOf, packType } from "../pack.ts";
import { mainModule, type TypeValue } from "../function-value.ts";
import { typeNamePattern } from "../name-pattern.ts";
import { writeType } from "../write-function.ts";
import { failProgramStep, type StepContext, StepFailed, type StepOf } from "./step-context.ts";

function typeIn({ draft }: StepContext, id: string): TypeValue {
  return draft.type(id) ?? failProgramStep("name.unknown", `There is no type ${id}`);
}

function write(context: StepContext, id: string, module: string, text: string): TypeValue {
  const written = writeType(text, { scope: context.draft, module, id, hash: context.hash });
  if (written.value === undefined) throw new StepFailed(written.errors);
  context.draft.set("type", id, written.value);
  return written.value;
}

export function addType(context: StepContext, step: StepOf<"add_type">): void {
  write(context, context.reserved, step.module_id ?? mainModule, step.text);
  context.created.push({ kind: "type", id: context.reserved });
}

export function setType(context: StepContext, step: StepOf<"set_type">): void {
  const before = typeIn(context, step.type_id);
  const { name } = write(context, step.type_id, before.module, step.text);
  if (name !== before.name)
    failProgramStep("name.unknown", `The text names ${name}, the type is ${before.name}: use rename_type`);
}

export function renameType(context: StepContext, step: StepOf<"rename_type">): void {
  if (!typeNamePattern.test(step.name))
    failProgramStep("syntax.unexpected", `${step.name} cannot be the name of a type`);
  const definition = { ...definitionOf(step.type_id, typeIn(context, step.type_id)), name: step.name };
  context.draft.set("type", step.type_id, packType(definition, hashType(definition, context.hash)));
}

/** Users that remain are found by the check of types. */
export function removeType(context: StepContext, step: StepOf<"remove_type">): void {
  typeIn(context, step.type_id);
  context.draft.set("type", step.type_id, undefined);
}
