import { type GraphNode, textAttribute } from "../node.ts";
import { enclosed } from "../layout.ts";
import { allocate } from "../run/frame.ts";
import { memberOf } from "../type-definition.ts";
import { isNever, namedType, neverType, optionalOf, type Type } from "../types.ts";
import { levels, type OpRow, type TypeContext } from "./op-row.ts";

/** Reports a payload that is missing or not expected. */
function checkPayload(check: TypeContext, node: GraphNode, payload: Type | null): void {
  if ((payload === null) !== (node.inputs.length === 0)) {
    for (const input of node.inputs) check.infer(input);
    const message = `${textAttribute(node, 1)} has ${payload === null ? "no payload" : "a payload"}`;
    check.report(node, { code: "type.arity", message });
  } else if (payload !== null) check.expect(node, 0, payload);
}

const unclear = (check: TypeContext, node: GraphNode, wanted: string): Type =>
  check.report(node, {
    code: "type.unknown",
    message: `The type of ${textAttribute(node, 1)} is not clear here: give the name a type`,
    expected: wanted,
  });

/** `some none ok err`: the expected type decides the part that the value does not show. */
function builtInType(check: TypeContext, node: GraphNode, expected?: Type): Type {
  const variant = textAttribute(node, 1);
  if (textAttribute(node, 0) === "option") {
    if (expected?.kind === "option") {
      checkPayload(check, node, variant === "none" ? null : expected.item);
      return expected;
    }
    const item = node.inputs.length === 0 ? neverType : check.infer(node.inputs[0]);
    return variant === "none" || isNever(item) ? unclear(check, node, "option<T>") : optionalOf(item);
  }
  if (expected?.kind === "result") {
    checkPayload(check, node, variant === "ok" ? expected.ok : expected.err);
    return expected;
  }
  for (const input of node.inputs) check.infer(input);
  return unclear(check, node, "result<T, E>");
}

function enumType(check: TypeContext, node: GraphNode, expected?: Type): Type {
  const id = textAttribute(node, 0);
  if (id === "option" || id === "result") return builtInType(check, node, expected);
  const type = check.read(node, namedType(id).text);
  const definition = check.definition(id);
  const member = definition?.sort === "enum" ? memberOf(definition, textAttribute(node, 1)) : undefined;
  if (member === undefined) {
    for (const input of node.inputs) check.infer(input);
    const known = definition?.sort === "enum" ? definition.members.map(({ name }) => name).join(", ") : "no variants";
    const message = `${check.show(type)} has no variant ${textAttribute(node, 1)}: ${known}`;
    check.report(node, { code: "type.variant", message });
  } else checkPayload(check, node, member.type);
  return type;
}

const isBuiltIn = (node: GraphNode): boolean => ["option", "result"].includes(textAttribute(node, 0));

export const enumRows = {
  enum_make: {
    attributes: ["type_id", "word"],
    inputs: [0, 1],
    regions: [],
    place: "value",
    text: {
      form: "own",
      level: levels.postfix,
      print: (print, node) => {
        const variant = textAttribute(node, 1);
        const name = isBuiltIn(node) ? variant : `${print.typeName(textAttribute(node, 0))}.${variant}`;
        return node.inputs.length === 0 ? name : enclosed(`${name}(`, node.inputs.map(print.inner), ")");
      },
    },
    type: enumType,
    run: (compile, node) => {
      const variant = textAttribute(node, 1);
      const payload = compile.code(node.inputs[0]);
      return (frame) => {
        allocate(frame, 1);
        return { variant, payload: payload(frame) };
      };
    },
  },
} satisfies Readonly<Record<string, OpRow>>;
