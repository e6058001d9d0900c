/** Every op of the language. `ops/op-table.ts` has one row for each, so a missing row is a type error. */
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

const known: ReadonlySet<string> = new Set(opNames);

export function isOpName(text: string): text is OpName {
  return known.has(text);
}

/** Ops whose id is the id of a value: other nodes refer to it. Parameters are binders too, and are no nodes. */
const binders: ReadonlySet<OpName> = new Set<OpName>(["let", "var", "for", "arm"]);

export function isBinder(op: OpName): boolean {
  return binders.has(op);
}
