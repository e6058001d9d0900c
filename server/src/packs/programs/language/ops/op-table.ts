import type { GraphNode } from "../node.ts";
import type { OpName } from "../op-names.ts";
import { isKeyword } from "../name-pattern.ts";
import { builtinArity, builtinRows } from "./builtin-rows.ts";
import { callRows } from "./call-rows.ts";
import { enumRows } from "./enum-rows.ts";
import { flowRows } from "./flow-rows.ts";
import { listRows } from "./list-rows.ts";
import { matchRows } from "./match-rows.ts";
import { numberRows } from "./number-rows.ts";
import { levels, type OpRow } from "./op-row.ts";
import { structRows } from "./struct-rows.ts";
import { testRows } from "./test-rows.ts";
import { valueRows } from "./value-rows.ts";

/** One row for each op: arity, text, type rule and evaluation. */
export const opTable: Readonly<Record<OpName, OpRow>> = {
  ...valueRows,
  ...numberRows,
  ...testRows,
  ...flowRows,
  ...matchRows,
  ...callRows,
  ...builtinRows,
  ...structRows,
  ...enumRows,
  ...listRows,
};

interface OperatorText {
  readonly op: OpName;
  readonly level: number;
}

const infix = new Map<string, OperatorText>();
const prefix = new Map<string, OperatorText>();
const calls = new Map<string, OpName>();
for (const [op, { text }] of Object.entries(opTable) as [OpName, OpRow][]) {
  if (text.form === "infix") infix.set(text.sign, { op, level: text.level });
  if (text.form === "prefix") prefix.set(text.sign, { op, level: text.level });
  if (text.form === "call") calls.set(text.name, op);
}

export const infixOperator = (sign: string): OperatorText | undefined => infix.get(sign);
export const prefixOperator = (sign: string): OperatorText | undefined => prefix.get(sign);

/** The op and attributes of a call by a reserved name. */
export function reservedCall(
  name: string,
): { readonly op: OpName; readonly attributes: readonly string[] } | undefined {
  const op = calls.get(name);
  if (op !== undefined) return { op, attributes: [] };
  return builtinArity(name) === undefined ? undefined : { op: "builtin", attributes: [name] };
}

/** Whether the language itself uses a name. */
export const isReserved = (name: string): boolean => isKeyword(name) || reservedCall(name) !== undefined;

/** The binding strength of a node's text. */
export function levelOf(node: GraphNode): number {
  const { text } = opTable[node.op];
  if (text.form === "call") return levels.postfix;
  return text.form === "own" && text.levelOf !== undefined ? text.levelOf(node) : text.level;
}
