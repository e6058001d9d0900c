import { defined } from "@holdfast/sdk/base/defined";
import { closestWord } from "@holdfast/sdk/base/closest-word";
import { type GraphNode, listAttribute, textAttribute } from "../node.ts";
import { blank, group, type Layout, nest, separated } from "../layout.ts";
import { allocate, type Code } from "../run/frame.ts";
import type { Value } from "../run/values.ts";
import { memberOf, type TypeDefinition } from "../type-definition.ts";
import { isNever, neverType, type Type } from "../types.ts";
import { type CompileContext, levels, type OpRow, type PrintContext, type TypeContext } from "./op-row.ts";

/** `{ name: value }`, with each member on a line of its own if they do not fit. */
export function members(parts: readonly Layout[]): Layout {
  return parts.length === 0 ? "{}" : group("{", nest(blank, separated(parts, [",", blank])), blank, "}");
}

function structOf(check: TypeContext, node: GraphNode, type: Type): TypeDefinition | undefined {
  const definition = type.kind === "named" ? check.definition(type.id) : undefined;
  if (definition?.sort === "struct") return definition;
  if (!isNever(type))
    check.report(node, { code: "type.field", message: `${check.show(type)} has no fields`, found: check.show(type) });
  return undefined;
}

function fieldType(check: TypeContext, node: GraphNode, definition: TypeDefinition, field: string): Type {
  const member = memberOf(definition, field);
  if (member?.type) return member.type;
  const known = definition.members.map(({ name }) => name);
  const suggestion = closestWord(field, known);
  return check.report(node, {
    code: "type.field",
    message: `${definition.name} has no field ${field}: ${known.join(", ")}`,
    ...defined({ suggestion }),
  });
}

/** Checks the values behind field names, which begin at a port. */
function checkFields(check: TypeContext, node: GraphNode, definition: TypeDefinition, from: number): void {
  const fields = listAttribute(node, node.op === "struct_make" ? 1 : 0);
  for (const [index, field] of fields.entries()) {
    const type = fieldType(check, node, definition, field);
    if (fields.indexOf(field) !== index)
      check.report(node, { code: "type.field", message: `The field ${field} is set twice`, port: index + from });
    else if (!isNever(type)) check.expect(node, index + from, type);
  }
}

function makeType(check: TypeContext, node: GraphNode): Type {
  const type = check.read(node, `@${textAttribute(node, 0)}`);
  const definition = structOf(check, node, type);
  if (definition === undefined) {
    for (const input of node.inputs) check.infer(input);
    return type;
  }
  checkFields(check, node, definition, 0);
  const fields = listAttribute(node, 1);
  const missing = definition.members.filter(({ name }) => !fields.includes(name)).map(({ name }) => name);
  if (missing.length > 0)
    check.report(node, { code: "type.field", message: `${definition.name} needs ${missing.join(", ")}` });
  return type;
}

function withType(check: TypeContext, node: GraphNode): Type {
  const type = check.infer(node.inputs[0]);
  const definition = structOf(check, node, type);
  if (definition === undefined) for (const input of node.inputs.slice(1)) check.infer(input);
  else checkFields(check, node, definition, 1);
  return type;
}

const printMembers = (print: PrintContext, fields: readonly string[], node: GraphNode, from: number): Layout =>
  members(fields.map((field, index) => [`${field}: `, print.inner(node.inputs[index + from])]));

/** Puts the written values into the order of the definition. */
function runStruct(compile: CompileContext, node: GraphNode, typeId: string): Code {
  const isNew = node.op === "struct_make";
  const fields = listAttribute(node, isNew ? 1 : 0);
  const known = compile.definition(typeId)?.members.map(({ name }) => name) ?? [];
  const places = fields.map((field) => known.indexOf(field));
  const inputs = node.inputs.map((input) => compile.code(input));
  const check = compile.checked(typeId, node);
  return (frame) => {
    const values = inputs.map((input) => input(frame));
    const value: Value[] = isNew ? [] : [...(values[0] as readonly Value[])];
    for (const [index, place] of places.entries()) value[place] = values[isNew ? index : index + 1] ?? null;
    allocate(frame, known.length);
    check(frame, value);
    return value;
  };
}

const typeIdOf = (type: Type): string => (type.kind === "named" ? type.id : "");

export const structRows = {
  struct_make: {
    attributes: ["type_id", "words"],
    inputs: [0, 200],
    regions: [],
    place: "value",
    text: {
      form: "own",
      level: levels.atom,
      hasBraces: true,
      print: (print, node) => [
        `${print.typeName(textAttribute(node, 0))} `,
        printMembers(print, listAttribute(node, 1), node, 0),
      ],
    },
    type: makeType,
    run: (compile, node) => runStruct(compile, node, textAttribute(node, 0)),
  },
  struct_get: {
    attributes: ["word"],
    inputs: [1, 1],
    regions: [],
    place: "value",
    text: {
      form: "own",
      level: levels.postfix,
      print: (print, node) => [print.value(node.inputs[0], levels.postfix), `.${textAttribute(node, 0)}`],
    },
    type: (check, node) => {
      const definition = structOf(check, node, check.infer(node.inputs[0]));
      return definition === undefined ? neverType : fieldType(check, node, definition, textAttribute(node, 0));
    },
    run: (compile, node) => {
      const value = compile.code(node.inputs[0]);
      const definition = compile.definition(typeIdOf(compile.typeOf(node.inputs[0])));
      const at = definition?.members.findIndex(({ name }) => name === textAttribute(node, 0)) ?? 0;
      return (frame) => (value(frame) as readonly Value[])[at] ?? null;
    },
  },
  struct_with: {
    attributes: ["words"],
    inputs: [1, 201],
    regions: [],
    place: "value",
    text: {
      form: "own",
      level: levels.postfix,
      hasBraces: true,
      print: (print, node) => [
        print.value(node.inputs[0], levels.postfix),
        " with ",
        printMembers(print, listAttribute(node, 0), node, 1),
      ],
    },
    type: withType,
    run: (compile, node) => runStruct(compile, node, typeIdOf(compile.typeOf(node))),
  },
} satisfies Readonly<Record<string, OpRow>>;
