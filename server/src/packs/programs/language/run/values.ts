/**
 * Values of the interpreter. Integers are BigInt, floats are numbers, lists and arrays are arrays, a struct is the array
 * of its fields in the order of the definition. Values are never changed in place.
 */
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { isObject } from "@holdfast/sdk/json/json";
import type { TypeDefinition } from "../type-definition.ts";
import { integerBits, isFloat, isInteger, type Type } from "../types.ts";

export type Value =
  null | boolean | bigint | number | string | readonly Value[] | { readonly variant: string; readonly payload: Value };

export type FindDefinition = (id: string) => TypeDefinition | undefined;

export function isVariant(value: Value): value is Extract<Value, { readonly variant: string }> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Equality by content. Floats compare as IEEE says: NaN equals nothing, and -0 equals 0. */
export function sameValue(a: Value, b: Value): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    const [first, second] = [a as readonly Value[], b as readonly Value[]];
    return first.length === second.length && first.every((item, index) => sameValue(item, second[index] ?? null));
  }
  if (isVariant(a) && isVariant(b)) return a.variant === b.variant && sameValue(a.payload, b.payload);
  return a === b;
}

/** The number of parts of a value, which bounds the work of comparing and copying it. */
export function valueSize(value: Value): number {
  if (typeof value === "string") return 1 + value.length;
  if (Array.isArray(value)) return (value as readonly Value[]).reduce<number>((sum, item) => sum + valueSize(item), 1);
  return isVariant(value) ? 1 + valueSize(value.payload) : 1;
}

/** The smallest and the largest value of an integer type. */
export function integerRange(type: Type): readonly [min: bigint, max: bigint] {
  const half = 1n << BigInt(integerBits(type) - 1);
  return [-half, half - 1n];
}

const safe = BigInt(Number.MAX_SAFE_INTEGER);

function numberToJson(value: number): Json {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Infinity" : "-Infinity";
  return Object.is(value, -0) ? "-0" : value;
}

/** Variants of option and result, and of an enum: the type of the payload, or null without one. */
function payloadType(type: Type, variant: string, find: FindDefinition): Type | null | undefined {
  if (type.kind === "option") return { some: type.item, none: null }[variant];
  if (type.kind === "result") return { ok: type.ok, err: type.err }[variant];
  if (type.kind !== "named") return undefined;
  return find(type.id)?.members.find((member) => member.name === variant)?.type;
}

export function valueToJson(value: Value, type: Type, find: FindDefinition): Json {
  if (typeof value === "bigint") return value > safe || value < -safe ? value.toString() : Number(value);
  if (typeof value === "number") return numberToJson(value);
  if (isVariant(value)) {
    const payload = payloadType(type, value.variant, find);
    return { [value.variant]: payload ? valueToJson(value.payload, payload, find) : null };
  }
  if (!Array.isArray(value)) return value as Json;
  const items = value as readonly Value[];
  if (type.kind === "named") {
    const members = find(type.id)?.members ?? [];
    return Object.fromEntries(
      members.map(({ name, type: of }, index) => [name, of ? valueToJson(items[index] ?? null, of, find) : null]),
    );
  }
  const item = type.kind === "list" || type.kind === "array" ? type.item : type;
  return items.map((each) => valueToJson(each, item, find));
}

/** A value from outside did not fit its type. */
export class WrongValue extends Error {
  override readonly name = "WrongValue";
}

function wrong(json: Json, type: Type): WrongValue {
  const shown = JSON.stringify(json);
  return new WrongValue(`${shown.length > 80 ? `${shown.slice(0, 80)}…` : shown} is not a value of ${type.text}`);
}

function integerFrom(json: Json, type: Type): Value {
  const isText = typeof json === "string" && /^-?\d{1,20}$/u.test(json);
  if (!isText && !(typeof json === "number" && Number.isSafeInteger(json))) throw wrong(json, type);
  const value = BigInt(json);
  const [min, max] = integerRange(type);
  if (value < min || value > max) throw wrong(json, type);
  return value;
}

const specialFloats = new Map<Json, number>([
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
  ["-0", -0],
]);

function floatFrom(json: Json, type: Type): Value {
  const value = typeof json === "number" ? json : specialFloats.get(json);
  if (value === undefined) throw wrong(json, type);
  return type.text === "f32" ? Math.fround(value) : value;
}

function primitiveFrom(json: Json, type: Type): Value {
  if (isInteger(type)) return integerFrom(json, type);
  if (isFloat(type)) return floatFrom(json, type);
  if (type.text === "bool" && typeof json === "boolean") return json;
  if (type.text === "text" && typeof json === "string" && json.isWellFormed()) return json;
  if (type.text === "unit" && json === null) return json;
  throw wrong(json, type);
}

function namedFrom(json: Json, type: Type, find: FindDefinition): Value {
  const definition = type.kind === "named" ? find(type.id) : undefined;
  if (!isObject(json)) throw wrong(json, type);
  if (definition?.sort === "struct") {
    if (Object.keys(json).length !== definition.members.length) throw wrong(json, type);
    return definition.members.map((member) => {
      const part = Object.hasOwn(json, member.name) ? json[member.name] : undefined;
      if (part === undefined || member.type === null) throw wrong(json, type);
      return valueFromJson(part, member.type, find);
    });
  }
  return variantFrom(json, type, find);
}

function variantFrom(json: JsonObject, type: Type, find: FindDefinition): Value {
  const [entry, more] = Object.entries(json);
  if (entry === undefined || more !== undefined) throw wrong(json, type);
  const [variant, payload] = entry;
  const of = payloadType(type, variant, find);
  if (of === undefined || (of === null && payload !== null)) throw wrong(json, type);
  return { variant, payload: of === null ? null : valueFromJson(payload, of, find) };
}

/** Throws WrongValue. */
export function valueFromJson(json: Json, type: Type, find: FindDefinition): Value {
  if (type.kind === "primitive") return primitiveFrom(json, type);
  if (type.kind !== "list" && type.kind !== "array") return namedFrom(json, type, find);
  if (!Array.isArray(json)) throw wrong(json, type);
  const items = json as readonly Json[];
  if (type.kind === "array" && items.length !== type.length) throw wrong(json, type);
  return items.map((item) => valueFromJson(item, type.item, find));
}
