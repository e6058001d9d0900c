import { compareBytes } from "../../../../features/locks/tables/path-fault.ts";
import { spend, stepsLeft } from "../run/frame.ts";
import { sameValue, valueSize, type Value } from "../run/values.ts";
import { boolType, isNever, isNumeric } from "../types.ts";
import { accepted, oneType } from "./one-type.ts";
import { levels, type OpRow } from "./op-row.ts";

const comparable = {
  isAccepted: (type: Parameters<typeof isNumeric>[0]) => isNumeric(type) || type.text === "text",
  wanted: "two numbers or texts of one type",
};

function equality(sign: string, isEqual: boolean): OpRow {
  return {
    attributes: [],
    inputs: [2, 2],
    regions: [],
    place: "value",
    text: { form: "infix", sign, level: levels.compare },
    type: (check, node) => {
      oneType(check, node);
      return boolType;
    },
    run: (compile, node) => {
      const [left, right] = [compile.code(node.inputs[0]), compile.code(node.inputs[1])];
      return (frame) => {
        const [a, b] = [left(frame), right(frame)];
        if (typeof a === "object" || typeof a === "string") spend(frame, valueSize(a, stepsLeft(frame)));
        return sameValue(a, b) === isEqual;
      };
    },
  };
}

type Order = (a: number | bigint, b: number | bigint) => boolean;

/** Texts are compared by code points. Comparisons with NaN are false. */
function order(sign: string, holds: Order): OpRow {
  return {
    attributes: [],
    inputs: [2, 2],
    regions: [],
    place: "value",
    text: { form: "infix", sign, level: levels.compare },
    type: (check, node) => {
      const type = oneType(check, node);
      if (!isNever(type)) accepted(check, node, type, comparable);
      return boolType;
    },
    run: (compile, node) => {
      const [left, right] = [compile.code(node.inputs[0]), compile.code(node.inputs[1])];
      const compare = (a: Value, b: Value): boolean =>
        typeof a === "string" ? holds(compareBytes(a, b as string), 0) : holds(a as bigint, b as bigint);
      return (frame) => {
        const [a, b] = [left(frame), right(frame)];
        if (typeof a === "string") spend(frame, a.length);
        return compare(a, b);
      };
    },
  };
}

/** The second operand is evaluated only if the first one does not decide. */
function logic(sign: string, level: number, decides: boolean): OpRow {
  return {
    attributes: [],
    inputs: [2, 2],
    regions: [],
    place: "value",
    text: { form: "infix", sign, level },
    type: (check, node) => {
      check.expect(node, 0, boolType);
      return check.expect(node, 1, boolType);
    },
    run: (compile, node) => {
      const [left, right] = [compile.code(node.inputs[0]), compile.code(node.inputs[1])];
      return (frame) => (left(frame) === decides ? decides : right(frame));
    },
  };
}

export const testRows = {
  eq: equality("==", true),
  ne: equality("!=", false),
  lt: order("<", (a, b) => a < b),
  le: order("<=", (a, b) => a <= b),
  gt: order(">", (a, b) => a > b),
  ge: order(">=", (a, b) => a >= b),
  both: logic("and", levels.both, false),
  either: logic("or", levels.either, true),
  negate: {
    attributes: [],
    inputs: [1, 1],
    regions: [],
    place: "value",
    text: { form: "prefix", sign: "not", level: levels.negate },
    type: (check, node) => check.expect(node, 0, boolType),
    run: (compile, node) => {
      const value = compile.code(node.inputs[0]);
      return (frame) => value(frame) !== true;
    },
  },
} satisfies Readonly<Record<string, OpRow>>;
