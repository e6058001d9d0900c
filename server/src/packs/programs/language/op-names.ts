/**
 * Every op of the language. `ops/op-table.ts` has one row for each, so a missing row is a type error. Hashes contain the
 * numbers of ops by this order, so a new op comes last.
 */
const opNames = [
  ...(["const", "let", "var", "get", "set", "hole", "drop", "result"] as const),
  ...(["add", "sub", "mul", "div", "rem", "neg", "abs", "add_wrap", "sub_wrap", "mul_wrap"] as const),
  ...(["and", "or", "xor", "not", "shl", "shr", "sar", "as"] as const),
  ...(["eq", "ne", "lt", "le", "gt", "ge", "both", "either", "negate"] as const),
  ...(["if", "match", "arm", "while", "for", "return", "break", "continue", "assert"] as const),
  ...(["call", "builtin", "print", "read_line"] as const),
  ...(["struct_make", "struct_get", "struct_with", "enum_make"] as const),
  ...(["list_make", "index", "with_index", "length", "push", "slice", "join"] as const),
] as const;

export type OpName = (typeof opNames)[number];

const numbers: ReadonlyMap<string, number> = new Map(opNames.map((name, index) => [name, index + 1]));

export function isOpName(text: string): text is OpName {
  return numbers.has(text);
}

export function opNumber(op: OpName): number {
  return numbers.get(op) ?? 0;
}

/** Ops whose id is the id of a value: other nodes refer to it. Parameters are binders too, and are not nodes. */
export function isBinder(op: OpName): boolean {
  return op === "let" || op === "var" || op === "for" || op === "arm";
}
