/** The steps of a mutation: their schemas, the items that they touch, and which of them change the structure. */
import Type from "typebox";
import type { Static } from "typebox";
import { programFunctionId, programModuleId, programTypeId } from "./program.ts";

const closed = { additionalProperties: false } as const;
const integer = Type.Integer({ minimum: 0 });
const text = Type.String({ minLength: 1, maxLength: 131_072, description: "The text of the function or type." });
const name = Type.String({ minLength: 1, maxLength: 64 });
const ofFunction = { function_id: programFunctionId };
const node = Type.Record(Type.String(), Type.Unknown(), {
  description: "{op, attributes?, inputs?, regions?, note?}; inputs and regions hold ids of values, or nodes.",
});
const at = Type.Union([
  Type.Object({ in: integer, region: Type.String({ maxLength: 64 }), index: integer }, closed),
  Type.Object({ to: integer, port: integer }, closed),
]);
const attributes = Type.Array(Type.Union([Type.String(), Type.Null(), Type.Array(Type.String())]), { maxItems: 64 });
const condition = Type.Union([Type.String(), Type.Tuple([Type.String(), Type.String()])]);
const conditionList = Type.Optional(Type.Array(condition, { maxItems: 32 }));
const parameter = Type.Object(
  { node_id: Type.Optional(integer), name, type: Type.String({ maxLength: 1_000 }) },
  closed,
);

const step = <const Name extends string, Members extends Parameters<typeof Type.Object>[0]>(
  type: Name,
  members: Members,
) => Type.Object({ type: Type.Literal(type), ...members }, closed);

export const programStep = Type.Union([
  step("set_function", { ...ofFunction, text }),
  step("insert_node", { ...ofFunction, node, at }),
  step("modify_node", {
    ...ofFunction,
    node_id: integer,
    op: Type.Optional(Type.String({ maxLength: 64 })),
    attributes: Type.Optional(attributes),
    note: Type.Optional(Type.Union([Type.String({ maxLength: 500 }), Type.Null()])),
  }),
  step("remove_node", { ...ofFunction, node_id: integer }),
  step("move_node", { ...ofFunction, node_id: integer, at }),
  step("add_edge", { ...ofFunction, from: integer, to: integer, port: integer }),
  step("remove_edge", { ...ofFunction, to: integer, port: integer }),
  step("set_conditions", { ...ofFunction, requires: conditionList, ensures: conditionList }),
  step("change_signature", {
    ...ofFunction,
    params: Type.Optional(Type.Array(parameter, { maxItems: 32 })),
    result: Type.Optional(Type.String({ maxLength: 1_000 })),
    public: Type.Optional(Type.Boolean()),
    io: Type.Optional(Type.Boolean()),
    total: Type.Optional(Type.Boolean()),
  }),
  step("add_function", {
    text,
    function_id: Type.Optional(programFunctionId),
    module_id: Type.Optional(programModuleId),
  }),
  step("remove_function", ofFunction),
  step("rename_function", { ...ofFunction, name }),
  step("move_function", { ...ofFunction, module_id: programModuleId }),
  step("add_module", {
    module_id: Type.Optional(programModuleId),
    name,
    parent: Type.Optional(programModuleId),
  }),
  step("rename_module", { module_id: programModuleId, name }),
  step("remove_module", { module_id: programModuleId }),
  step("add_type", { type_id: Type.Optional(programTypeId), text, module_id: Type.Optional(programModuleId) }),
  step("set_type", { type_id: programTypeId, text }),
  step("rename_type", { type_id: programTypeId, name }),
  step("remove_type", { type_id: programTypeId }),
]);
export type MutationStep = Static<typeof programStep>;

/** The steps that change which functions, types and modules exist, or their names. */
const structureSteps: ReadonlySet<string> = new Set([
  ...["add_function", "remove_function", "rename_function", "move_function"],
  ...["add_module", "rename_module", "remove_module"],
  ...["add_type", "set_type", "rename_type", "remove_type"],
]);

export function isStructureStep({ type }: Pick<MutationStep, "type">): boolean {
  return structureSteps.has(type);
}

/** The existing item that a step changes: `function/f1`, `type/t1` or `module/m1`. A new item is not touched. */
export function touchedItem(step: MutationStep): string | undefined {
  if (step.type.startsWith("add_") && step.type !== "add_edge") return undefined;
  if ("function_id" in step) return `function/${step.function_id}`;
  if ("type_id" in step) return `type/${step.type_id}`;
  return "module_id" in step ? `module/${step.module_id}` : undefined;
}
