/** Rules for operands that must have one type. A literal takes the type of the operand that is not a literal. */
import type { GraphNode, Input } from "../node.ts";
import { isNever, type Type } from "../types.ts";
import type { TypeContext } from "./op-row.ts";

const transparent: ReadonlySet<string> = new Set([
  ...["add", "sub", "mul", "div", "rem", "neg", "abs", "add_wrap", "sub_wrap", "mul_wrap", "and", "or", "xor", "not"],
  ...["list_make", "shl", "shr", "sar"],
]);

/** Whether the type of an input depends on the type that is expected of it. */
export function isOpen(input: Input | undefined): boolean {
  if (typeof input !== "object") return false;
  if (input.op === "const" || input.op === "hole") return true;
  if (input.op === "enum_make") return ["option", "result"].includes(String(input.attributes[0]));
  return transparent.has(input.op) && input.inputs.every(isOpen);
}

/** The type of all inputs from a port on. The first input that is not open decides. */
export function oneType(check: TypeContext, node: GraphNode, expected?: Type, from = 0): Type {
  const ports = node.inputs.map((_, port) => port).slice(from);
  const leading = ports.find((port) => !isOpen(node.inputs[port])) ?? from;
  const type = check.infer(node.inputs[leading], expected);
  const others = ports.filter((port) => port !== leading);
  if (!isNever(type)) {
    for (const port of others) check.expect(node, port, type);
    return type;
  }
  const types = others.map((port) => check.infer(node.inputs[port], expected));
  return types.find((each) => !isNever(each)) ?? type;
}

/** Reports operands of a type that the op does not accept. */
export function accepted(
  check: TypeContext,
  node: GraphNode,
  type: Type,
  { isAccepted, wanted }: { isAccepted: (type: Type) => boolean; wanted: string },
): Type {
  if (isNever(type) || isAccepted(type)) return type;
  return check.report(node, {
    code: "type.not_numeric",
    message: `${node.op} needs ${wanted}, not ${check.show(type)}`,
    expected: wanted,
    found: check.show(type),
  });
}
