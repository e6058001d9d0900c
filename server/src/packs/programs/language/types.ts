/** Types of the language. Two types are equal if their stored texts are equal: named types are texts such as `@t1`. */
const primitiveNames = [
  ...(["bool", "i8", "i16", "i32", "i64", "f32", "f64", "text", "unit", "never"] as const),
] as const;

type PrimitiveName = (typeof primitiveNames)[number];

export type Type =
  | { readonly kind: "primitive"; readonly name: PrimitiveName; readonly text: string }
  | { readonly kind: "array"; readonly item: Type; readonly length: number; readonly text: string }
  | { readonly kind: "list"; readonly item: Type; readonly text: string }
  | { readonly kind: "option"; readonly item: Type; readonly text: string }
  | { readonly kind: "result"; readonly ok: Type; readonly err: Type; readonly text: string }
  | { readonly kind: "named"; readonly id: string; readonly text: string };

const made = Object.fromEntries(
  primitiveNames.map((name) => [name, { kind: "primitive", name, text: name }]),
) as Readonly<Record<PrimitiveName, Type>>;

export function primitive(name: PrimitiveName): Type {
  return made[name];
}

export const neverType = primitive("never");
export const unitType = primitive("unit");
export const boolType = primitive("bool");
export const textType = primitive("text");
export const i64Type = primitive("i64");
export const f64Type = primitive("f64");

export const listOf = (item: Type): Type => ({ kind: "list", item, text: `list<${item.text}>` });
export const optionalOf = (item: Type): Type => ({ kind: "option", item, text: `option<${item.text}>` });
export const arrayOf = (item: Type, length: number): Type => ({
  kind: "array",
  item,
  length,
  text: `[${item.text}; ${length}]`,
});
export const resultOf = (ok: Type, err: Type): Type => ({
  kind: "result",
  ok,
  err,
  text: `result<${ok.text}, ${err.text}>`,
});
export const namedType = (id: string): Type => ({ kind: "named", id, text: `@${id}` });

export function isPrimitiveName(text: string): text is PrimitiveName {
  return Object.hasOwn(made, text);
}

export const sameType = (a: Type, b: Type): boolean => a.text === b.text;
export const isNever = (type: Type): boolean => type.text === "never";
export const isUnit = (type: Type): boolean => type.text === "unit";

const bits: Readonly<Record<string, number>> = { i8: 8, i16: 16, i32: 32, i64: 64 };

export const isInteger = (type: Type): boolean => Object.hasOwn(bits, type.text);
export const isFloat = (type: Type): boolean => type.text === "f32" || type.text === "f64";
export const isNumeric = (type: Type): boolean => isInteger(type) || isFloat(type);

/** The number of bits of an integer type. */
export function integerBits(type: Type): number {
  return bits[type.text] ?? 64;
}

/** The item of a list or array. */
export function itemOf(type: Type): Type | undefined {
  return type.kind === "list" || type.kind === "array" ? type.item : undefined;
}

/** The ids of the named types inside a type. */
export function* typeIdsIn(type: Type): Generator<string, void> {
  if (type.kind === "named") yield type.id;
  if (type.kind === "result") {
    yield* typeIdsIn(type.ok);
    yield* typeIdsIn(type.err);
  }
  if (type.kind === "list" || type.kind === "option" || type.kind === "array") yield* typeIdsIn(type.item);
}

/** How deep type constructors are nested. */
export function typeDepth(type: Type): number {
  if (type.kind === "result") return 1 + Math.max(typeDepth(type.ok), typeDepth(type.err));
  if (type.kind === "list" || type.kind === "option" || type.kind === "array") return 1 + typeDepth(type.item);
  return 1;
}
