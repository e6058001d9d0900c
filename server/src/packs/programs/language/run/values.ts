/**
 * Values of the interpreter. Integers are BigInt, floats are numbers, lists and arrays are arrays, a struct is the array
 * of its fields in the order of the definition. Values are never changed in place.
 */
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { isObject } from "@holdfast/sdk/json/json";
import type { TypeDefinition } from "../type-definition.ts";
import { integerBits, isFloat, isInteger, type Type } from "../types.ts";

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | readonly Value[]
  | { readonly variant: string; readonly payload: Value };

export type FindDefinition = (id: string) => TypeDefinition | undefined;

export function isVariant(value: Value): value is Extract<Value, { readonly variant: string }> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Equality by content. Floats compare as IEEE says: NaN equals nothing, and -0 equals 0. It keeps its own stack,
 * because a value can be nested deeper than the stack of the host.
 */
export function sameValue(a: Value, b: Value): boolean {
  const pairs: (readonly [Value, Value])[] = [[a, b]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [one, other] = pair;
    if (Array.isArray(one) && Array.isArray(other)) {
      const [first, second] = [one as readonly Value[], other as readonly Value[]];
      if (first.length !== second.length) return false;
      for (const [index, item] of first.entries()) pairs.push([item, second[index] ?? null]);
    } else if (isVariant(one) && isVariant(other)) {
      if (one.variant !== other.variant) return false;
      pairs.push([one.payload, other.payload]);
    } else if (one !== other) return false;
  }
  return true;
}

/**
 * The number of parts of a value, which bounds the work of comparing and copying it. Counting ends above the maximum: a
 * value that contains the same part twice at each of 40 levels has a trillion parts.
 */
export function valueSize(value: Value, max: number): number {
  const parts: Value[] = [value];
  let size = 0;
  for (let part = parts.pop(); part !== undefined && size <= max; part = parts.pop()) {
    size += typeof part === "string" ? 1 + part.length : 1;
    if (Array.isArray(part)) for (const item of part as readonly Value[]) parts.push(item);
    else if (isVariant(part)) parts.push(part.payload);
  }
  return size;
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

/** Maximum nesting of a shown value: JSON of a reply is nested 64 deep at most. */
const shownDepthMax = 50;
/** Maximum parts of a shown value. */
const shownPartsMax = 50_000;

/** The mark in place of parts beyond the bounds. */
const more = "…";

/** The value as JSON. Parts beyond the bounds are `…`. */
export function valueToJson(value: Value, type: Type, find: FindDefinition): Json {
  return partToJson(value, type, { find, left: shownPartsMax }, 0);
}

interface ShownParts {
  readonly find: FindDefinition;
  /** Number of parts that may still be shown. */
  left: number;
}

function partToJson(value: Value, type: Type, parts: ShownParts, depth: number): Json {
  parts.left -= 1;
  if (parts.left < 0) return more;
  if (typeof value === "bigint") return value > safe || value < -safe ? value.toString() : Number(value);
  if (typeof value === "number") return numberToJson(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > shownDepthMax) return more;
  const part = (of: Value, as: Type): Json => partToJson(of, as, parts, depth + 1);
  if (isVariant(value)) {
    const payload = payloadType(type, value.variant, parts.find);
    return { [value.variant]: payload ? part(value.payload, payload) : null };
  }
  return type.kind === "named" ? fieldsToJson(value, parts.find(type.id), part) : itemsToJson(value, type, parts, part);
}

type PartToJson = (value: Value, type: Type) => Json;

function fieldsToJson(fields: readonly Value[], definition: TypeDefinition | undefined, part: PartToJson): Json {
  const members = definition?.members ?? [];
  return Object.fromEntries(members.map(({ name, type }, at) => [name, type ? part(fields[at] ?? null, type) : null]));
}

function itemsToJson(items: readonly Value[], type: Type, { left }: ShownParts, part: PartToJson): Json {
  const item = type.kind === "list" || type.kind === "array" ? type.item : type;
  const shown = items.slice(0, left).map((each) => part(each, item));
  return shown.length < items.length ? [...shown, more] : shown;
}

/** Maximum characters and nesting of a value that is shown as text. */
const textMax = 200;
const textDepthMax = 20;

/** A value without its type, as text: structs are lists of their fields. */
export function shownValue(value: Value): string {
  const text = JSON.stringify(shortened(value, { left: textMax }, 0));
  return text.length > textMax ? `${text.slice(0, textMax).toWellFormed()}${more}` : text;
}

/** Enough of a value to fill its text. */
function shortened(value: Value, parts: { left: number }, depth: number): Json {
  parts.left -= 1;
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string") return value.slice(0, textMax + 1).toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (depth > textDepthMax || parts.left < 0) return more;
  if (isVariant(value)) return { variant: value.variant, payload: shortened(value.payload, parts, depth + 1) };
  return value.slice(0, Math.max(0, parts.left + 1)).map((item) => shortened(item, parts, depth + 1));
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
