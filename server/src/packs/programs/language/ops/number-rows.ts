import type { GraphNode } from "../node.ts";
import { type Code, trap } from "../run/frame.ts";
import { integerRange, type Value } from "../run/values.ts";
import { boolType, integerBits, isFloat, isInteger, isNever, isNumeric, type Type } from "../types.ts";
import { accepted, oneType } from "./one-type.ts";
import { type CompileContext, levels, type OpRow, type TypeContext } from "./op-row.ts";

type Whole = (a: bigint, b: bigint, type: Type) => bigint;
type Real = (a: number, b: number) => number;

const numeric = { isAccepted: isNumeric, wanted: "numbers of one type" };
const integer = { isAccepted: isInteger, wanted: "integers of one type" };

/** Traps if the result does not fit. Operands have at most 64 bits, so the result has at most 128. */
function fitted(value: bigint, type: Type): bigint {
  const [min, max] = integerRange(type);
  if (value < min || value > max) trap(`The result ${value} does not fit ${type.text}.`);
  return value;
}

const wrapped = (value: bigint, type: Type): bigint => BigInt.asIntN(integerBits(type), value);

function nonZero(value: bigint): bigint {
  if (value === 0n) trap("Division by zero.");
  return value;
}

function count(value: bigint, type: Type): bigint {
  if (value < 0n || value >= BigInt(integerBits(type)))
    trap(`The shift count ${value} is not from 0 to ${integerBits(type) - 1}.`);
  return value;
}

const rounded = (value: number, type: Type): number => (type.text === "f32" ? Math.fround(value) : value);

function binary(compile: CompileContext, node: GraphNode, whole: Whole, real?: Real): Code {
  const [left, right] = [compile.code(node.inputs[0]), compile.code(node.inputs[1])];
  const type = compile.typeOf(node);
  if (real !== undefined && isFloat(type))
    return (frame) => rounded(real(left(frame) as number, right(frame) as number), type);
  return (frame) => whole(left(frame) as bigint, right(frame) as bigint, type);
}

function infix(
  sign: string,
  level: number,
  { whole, real, operands }: { whole: Whole; real?: Real; operands: typeof numeric },
): OpRow {
  return {
    attributes: [],
    inputs: [2, 2],
    regions: [],
    place: "value",
    traps: true,
    text: { form: "infix", sign, level },
    type: (check, node, expected) => accepted(check, node, oneType(check, node, expected), operands),
    run: (compile, node) => binary(compile, node, whole, real),
  };
}

function unary(
  text: OpRow["text"],
  { whole, real, operands }: { whole: Whole; real?: Real; operands: typeof numeric },
): OpRow {
  return {
    attributes: [],
    inputs: [1, 1],
    regions: [],
    place: "value",
    traps: true,
    text,
    type: (check, node, expected) => accepted(check, node, oneType(check, node, expected), operands),
    run: (compile, node) => {
      const value = compile.code(node.inputs[0]);
      const type = compile.typeOf(node);
      if (real !== undefined && isFloat(type)) return (frame) => rounded(real(value(frame) as number, 0), type);
      return (frame) => whole(value(frame) as bigint, 0n, type);
    },
  };
}

function castType(check: TypeContext, node: GraphNode): Type {
  const to = check.read(node, node.attributes[0]);
  const from = check.infer(node.inputs[0]);
  const isFine = isNever(from) || (isNumeric(to) && isNumeric(from)) || (isInteger(to) && from.text === boolType.text);
  if (isFine) return to;
  return check.report(node, {
    code: "type.mismatch",
    message: `as converts numbers to numbers and bool to integers, not ${check.show(from)} to ${check.show(to)}`,
    expected: "number",
    found: check.show(from),
    suggestion: "to_text and parse_i64 convert texts",
  });
}

/** The converted value. A value that does not fit is a trap, never another number. */
function cast(value: Value, to: Type): Value {
  if (isFloat(to)) return rounded(Number(value), to);
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "bigint") return fitted(value, to);
  const number = Number(value);
  if (!Number.isFinite(number)) trap(`${number} does not fit ${to.text}.`);
  return fitted(BigInt(Math.trunc(number)), to);
}

const castRow: OpRow = {
  attributes: ["type"],
  inputs: [1, 1],
  regions: [],
  place: "value",
  traps: true,
  text: {
    form: "own",
    level: levels.as,
    print: (print, node) => [print.value(node.inputs[0], levels.as), ` as ${print.type(node.attributes[0])}`],
  },
  type: castType,
  run: (compile, node) => {
    const value = compile.code(node.inputs[0]);
    const to = compile.type(node.attributes[0]);
    return (frame) => cast(value(frame), to);
  },
};

const { sum, product, shift, sign } = levels;
const wrapping = (whole: (a: bigint, b: bigint) => bigint): { whole: Whole; operands: typeof numeric } => ({
  whole: (a, b, type) => wrapped(whole(a, b), type),
  operands: integer,
});

export const numberRows = {
  add: infix("+", sum, { whole: (a, b, type) => fitted(a + b, type), real: (a, b) => a + b, operands: numeric }),
  sub: infix("-", sum, { whole: (a, b, type) => fitted(a - b, type), real: (a, b) => a - b, operands: numeric }),
  mul: infix("*", product, { whole: (a, b, type) => fitted(a * b, type), real: (a, b) => a * b, operands: numeric }),
  div: infix("/", product, {
    whole: (a, b, type) => fitted(a / nonZero(b), type),
    real: (a, b) => a / b,
    operands: numeric,
  }),
  rem: infix("%", product, { whole: (a, b) => a % nonZero(b), real: (a, b) => a % b, operands: numeric }),
  neg: unary(
    { form: "prefix", sign: "-", level: sign },
    { whole: (a, _, type) => fitted(-a, type), real: (a) => -a, operands: numeric },
  ),
  abs: unary(
    { form: "call", name: "abs" },
    { whole: (a, _, type) => fitted(a < 0n ? -a : a, type), real: (a) => Math.abs(a), operands: numeric },
  ),
  add_wrap: infix(
    "+%",
    sum,
    wrapping((a, b) => a + b),
  ),
  sub_wrap: infix(
    "-%",
    sum,
    wrapping((a, b) => a - b),
  ),
  mul_wrap: infix(
    "*%",
    product,
    wrapping((a, b) => a * b),
  ),
  and: infix("&", levels.and, { whole: (a, b) => a & b, operands: integer }),
  or: infix("|", levels.or, { whole: (a, b) => a | b, operands: integer }),
  xor: infix("^", levels.xor, { whole: (a, b) => a ^ b, operands: integer }),
  not: unary({ form: "prefix", sign: "~", level: sign }, { whole: (a) => ~a, operands: integer }),
  shl: infix("<<", shift, { whole: (a, b, type) => wrapped(a << count(b, type), type), operands: integer }),
  sar: infix(">>", shift, { whole: (a, b, type) => a >> count(b, type), operands: integer }),
  shr: infix(">>>", shift, {
    whole: (a, b, type) => wrapped(BigInt.asUintN(integerBits(type), a) >> count(b, type), type),
    operands: integer,
  }),
  as: castRow,
} satisfies Readonly<Record<string, OpRow>>;
