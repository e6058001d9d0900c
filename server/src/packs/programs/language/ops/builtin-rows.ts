/** Built-in functions. Only operations that IEEE 754 and Unicode fix exactly, so that every host has the same results. */
import { compareBytes } from "../../../../features/locks/tables/path-fault.ts";
import { type GraphNode, textAttribute } from "../node.ts";
import { enclosed } from "../layout.ts";
import { allocate, stepsLeft } from "../run/frame.ts";
import { integerRange, valueSize, type Value } from "../run/values.ts";
import {
  boolType,
  f64Type,
  i64Type,
  isFloat,
  isNever,
  isNumeric,
  itemOf,
  listOf,
  optionalOf,
  textType,
  type Type,
} from "../types.ts";
import { accepted, oneType } from "./one-type.ts";
import { levels, type OpRow, type TypeContext } from "./op-row.ts";

interface Builtin {
  readonly arity: number;
  /** Steps beyond the sizes of the inputs. */
  readonly cost?: (inputs: readonly Value[]) => number;
  readonly type: (check: TypeContext, node: GraphNode, expected?: Type) => Type;
  readonly run: (inputs: readonly Value[], type: Type) => Value;
}

/** Numbers of one type; the result has it too. */
const ofNumbers: Builtin["type"] = (check, node, expected) =>
  accepted(check, node, oneType(check, node, expected), { isAccepted: isNumeric, wanted: "numbers of one type" });
const ofFloats: Builtin["type"] = (check, node, expected) =>
  accepted(check, node, oneType(check, node, expected), { isAccepted: isFloat, wanted: "a float" });
const ofTexts =
  (result: Type): Builtin["type"] =>
  (check, node) => {
    for (const port of node.inputs.keys()) check.expect(node, port, textType);
    return result;
  };

function ofSortable(check: TypeContext, node: GraphNode, expected?: Type): Type {
  const type = check.infer(node.inputs[0], expected);
  const item = itemOf(type);
  if (isNever(type) || (item !== undefined && (isNumeric(item) || item.text === "text"))) return type;
  const message = `sort needs a list of numbers or texts, not ${check.show(type)}`;
  return check.report(node, { code: "type.mismatch", message, found: check.show(type) });
}

function ofReversible(check: TypeContext, node: GraphNode, expected?: Type): Type {
  const type = check.infer(node.inputs[0], expected);
  if (isNever(type) || itemOf(type) !== undefined || type.text === "text") return type;
  const message = `reverse needs a list, an array or a text, not ${check.show(type)}`;
  return check.report(node, { code: "type.mismatch", message, found: check.show(type) });
}

function ofShown(check: TypeContext, node: GraphNode): Type {
  const type = check.infer(node.inputs[0]);
  const isFine = isNever(type) || isNumeric(type) || ["bool", "text"].includes(type.text);
  if (!isFine)
    check.report(node, {
      code: "type.mismatch",
      message: `to_text needs a number, a bool or a text, not ${check.show(type)}`,
      found: check.show(type),
    });
  return textType;
}

/** NaN is the greatest number and -0 equals 0, so every list has one order. */
function compareValues(a: Value, b: Value): number {
  if (typeof a === "string") return compareBytes(a, b as string);
  if (typeof a === "bigint") return a < (b as bigint) ? -1 : a > (b as bigint) ? 1 : 0;
  const [left, right] = [a as number, b as number];
  if (Number.isNaN(left) || Number.isNaN(right)) return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
  return left < right ? -1 : left > right ? 1 : 0;
}

const some = (payload: Value): Value => ({ variant: "some", payload });
const none: Value = { variant: "none", payload: null };

function parseWhole(text: string): Value {
  if (!/^-?\d{1,19}$/u.test(text)) return none;
  const value = BigInt(text);
  const [min, max] = integerRange(i64Type);
  return value < min || value > max ? none : some(value);
}

function shown(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  return typeof value === "bigint" ? value.toString() : String(value === true);
}

const texts = (inputs: readonly Value[]): readonly [string, string] => [inputs[0] as string, inputs[1] as string];
const number = (inputs: readonly Value[]): number => inputs[0] as number;
const changeCase = (text: string, from: RegExp, by: number): string =>
  text.replace(from, (letter) => String.fromCharCode(letter.charCodeAt(0) + by));

/** A search compares each place of a text with the searched text in the worst case, many letters in one step. */
const searchCost = (inputs: readonly Value[]): number => {
  const [whole, part] = texts(inputs);
  return Math.floor((whole.length * part.length) / lettersOfStep);
};
const lettersOfStep = 64;

const builtins: Readonly<Record<string, Builtin>> = {
  min: { arity: 2, type: ofNumbers, run: ([a = 0n, b = 0n]) => (compareValues(b, a) < 0 ? b : a) },
  max: { arity: 2, type: ofNumbers, run: ([a = 0n, b = 0n]) => (compareValues(b, a) > 0 ? b : a) },
  sqrt: {
    arity: 1,
    type: ofFloats,
    run: (inputs, type) => (type.text === "f32" ? Math.fround(Math.sqrt(number(inputs))) : Math.sqrt(number(inputs))),
  },
  floor: { arity: 1, type: ofFloats, run: (inputs) => Math.floor(number(inputs)) },
  ceil: { arity: 1, type: ofFloats, run: (inputs) => Math.ceil(number(inputs)) },
  to_text: { arity: 1, type: ofShown, run: ([value = null]) => shown(value) },
  parse_i64: { arity: 1, type: ofTexts(optionalOf(i64Type)), run: (inputs) => parseWhole(texts(inputs)[0]) },
  parse_f64: {
    arity: 1,
    type: ofTexts(optionalOf(f64Type)),
    run: (inputs) => (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/u.test(texts(inputs)[0]) ? some(Number(inputs[0])) : none),
  },
  contains: {
    arity: 2,
    type: ofTexts(boolType),
    cost: searchCost,
    run: (inputs) => texts(inputs)[0].includes(texts(inputs)[1]),
  },
  starts_with: { arity: 2, type: ofTexts(boolType), run: (inputs) => texts(inputs)[0].startsWith(texts(inputs)[1]) },
  split: {
    arity: 2,
    type: ofTexts(listOf(textType)),
    cost: searchCost,
    run: (inputs) => {
      const [whole, by] = texts(inputs);
      return by === "" ? Array.from(whole) : whole.split(by);
    },
  },
  lower: { arity: 1, type: ofTexts(textType), run: (inputs) => changeCase(texts(inputs)[0], /[A-Z]/gu, 32) },
  upper: { arity: 1, type: ofTexts(textType), run: (inputs) => changeCase(texts(inputs)[0], /[a-z]/gu, -32) },
  sort: { arity: 1, type: ofSortable, run: ([list = []]) => (list as readonly Value[]).toSorted(compareValues) },
  reverse: {
    arity: 1,
    type: ofReversible,
    run: ([value = []]) =>
      typeof value === "string" ? Array.from(value).reverse().join("") : (value as readonly Value[]).toReversed(),
  },
};

export function builtinArity(name: string): number | undefined {
  return Object.hasOwn(builtins, name) ? builtins[name]?.arity : undefined;
}

export const builtinRows = {
  builtin: {
    attributes: ["word"],
    inputs: [0, 4],
    regions: [],
    place: "value",
    text: {
      form: "own",
      level: levels.postfix,
      print: (print, node) => enclosed(`${textAttribute(node, 0)}(`, node.inputs.map(print.inner), ")"),
    },
    type: (check, node, expected) => {
      const builtin = builtins[textAttribute(node, 0)];
      if (builtin?.arity === node.inputs.length) return builtin.type(check, node, expected);
      for (const input of node.inputs) check.infer(input);
      const message = `${textAttribute(node, 0)} has ${builtin?.arity ?? 0} parameters, not ${node.inputs.length}`;
      return check.report(node, { code: "type.arity", message });
    },
    run: (compile, node) => {
      const inputs = node.inputs.map((input) => compile.code(input));
      const builtin = builtins[textAttribute(node, 0)];
      const type = compile.typeOf(node);
      return (frame) => {
        const values = inputs.map((input) => input(frame));
        allocate(
          frame,
          values.reduce<number>((sum, value) => sum + valueSize(value, stepsLeft(frame)), builtin?.cost?.(values) ?? 0),
        );
        return builtin?.run(values, type) ?? null;
      };
    },
  },
} satisfies Readonly<Record<string, OpRow>>;
