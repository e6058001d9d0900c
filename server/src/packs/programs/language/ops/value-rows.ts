import { type GraphNode, textAttribute } from "../node.ts";
import { group, nest, blank } from "../layout.ts";
import { trap } from "../run/frame.ts";
import { integerRange, type Value } from "../run/values.ts";
import {
  boolType,
  f64Type,
  i64Type,
  isFloat,
  isInteger,
  isNever,
  neverType,
  textType,
  type Type,
  unitType,
} from "../types.ts";
import { levels, type OpRow, type TypeContext } from "./op-row.ts";

function constType(check: TypeContext, node: GraphNode, expected?: Type): Type {
  const kind = textAttribute(node, 0);
  const text = textAttribute(node, 1);
  if (kind === "text") return textType;
  if (kind === "bool") return boolType;
  if (kind === "unit") return unitType;
  if (kind === "float") return expected !== undefined && isFloat(expected) ? expected : f64Type;
  const type = expected !== undefined && isInteger(expected) ? expected : i64Type;
  const [min, max] = integerRange(type);
  const value = BigInt(text);
  if (value >= min && value <= max) return type;
  return check.report(node, {
    code: "type.const_range",
    message: `${text} does not fit ${type.text}`,
    expected: `${min} to ${max}`,
  });
}

function constValue(node: GraphNode, type: Type): Value {
  const text = textAttribute(node, 1);
  if (type.text === "text") return text;
  if (type.text === "bool") return text === "true";
  if (type.text === "unit") return null;
  if (isFloat(type)) return type.text === "f32" ? Math.fround(Number(text)) : Number(text);
  return BigInt(text);
}

const isNegative = (node: GraphNode): boolean =>
  textAttribute(node, 1).startsWith("-") && node.attributes[0] !== "text";

const constRow: OpRow = {
  attributes: ["word", "text"],
  inputs: [0, 0],
  regions: [],
  place: "value",
  text: {
    form: "own",
    level: levels.atom,
    levelOf: (node) => (isNegative(node) ? levels.sign : levels.atom),
    print: (_, node) =>
      node.attributes[0] === "text" ? JSON.stringify(textAttribute(node, 1)) : textAttribute(node, 1),
  },
  type: constType,
  run: (compile, node) => {
    const value = constValue(node, compile.typeOf(node));
    return () => value;
  },
};

function bindType(check: TypeContext, node: GraphNode): Type {
  const stored = node.attributes[1];
  const type = stored === null ? check.infer(node.inputs[0]) : check.read(node, stored);
  if (stored !== null) check.expect(node, 0, type);
  check.bind(node.id, type);
  return unitType;
}

function binding(word: "let" | "var", attributes: OpRow["attributes"]): OpRow {
  return {
    attributes,
    inputs: [1, 1],
    regions: [],
    place: "statement",
    text: {
      form: "own",
      level: levels.flow,
      print: (print, node) => {
        const type = node.attributes[1] === null ? "" : `: ${print.type(node.attributes[1])}`;
        const value = print.value(node.inputs[0], levels.flow);
        return [`${print.keyword(word, node)} ${textAttribute(node, 0)}${type} = `, value, ";"];
      },
    },
    type: bindType,
    run: (compile, node) => {
      const value = compile.code(node.inputs[0]);
      const slot = compile.slot(node.id);
      return (frame) => {
        frame.slots[slot] = value(frame);
        return null;
      };
    },
  };
}

/** The `var` that a `get` or `set` names. */
const cellOf = (node: GraphNode): number => (typeof node.inputs[0] === "number" ? node.inputs[0] : 0);

const getRow: OpRow = {
  attributes: [],
  inputs: [1, 1],
  regions: [],
  place: "value",
  text: { form: "own", level: levels.atom, print: (print, node) => print.nameOf(cellOf(node)) },
  type: (check, node) => check.typeAt(cellOf(node)) ?? neverType,
  run: (compile, node) => {
    const slot = compile.slot(cellOf(node));
    return (frame) => frame.slots[slot] ?? null;
  },
};

const setRow: OpRow = {
  attributes: [],
  inputs: [2, 2],
  regions: [],
  place: "statement",
  text: {
    form: "own",
    level: levels.flow,
    print: (print, node) =>
      group(
        print.keyword(print.nameOf(cellOf(node)), node),
        " =",
        nest(blank, print.value(node.inputs[1], levels.flow)),
        ";",
      ),
  },
  type: (check, node) => {
    check.expect(node, 1, check.typeAt(cellOf(node)) ?? neverType);
    return unitType;
  },
  run: (compile, node) => {
    const value = compile.code(node.inputs[1]);
    const slot = compile.slot(cellOf(node));
    return (frame) => {
      frame.slots[slot] = value(frame);
      return null;
    };
  },
};

const own = (print: Extract<OpRow["text"], { form: "own" }>["print"], level: number = levels.atom): OpRow["text"] => ({
  form: "own",
  level,
  print,
});

export const valueRows = {
  const: constRow,
  let: binding("let", ["name", "type?"]),
  var: binding("var", ["name", "type"]),
  get: getRow,
  set: setRow,
  hole: {
    attributes: [],
    inputs: [0, 0],
    regions: [],
    place: "value",
    text: own(() => "hole"),
    type: () => neverType,
    run: () => () => {
      trap("The program has a hole here.");
    },
  },
  drop: {
    attributes: [],
    inputs: [1, 1],
    regions: [],
    place: "statement",
    text: own((print, node) => [print.value(node.inputs[0], levels.flow), print.keyword(";", node)], levels.flow),
    type: (check, node) => (isNever(check.infer(node.inputs[0])) ? neverType : unitType),
    run: (compile, node) => {
      const value = compile.code(node.inputs[0]);
      return (frame) => {
        value(frame);
        return null;
      };
    },
  },
  result: {
    attributes: [],
    inputs: [0, 0],
    regions: [],
    place: "value",
    text: own(() => "result"),
    type: (check, node) =>
      check.conditionResult ?? check.report(node, { code: "name.unknown", message: "result is known only in ensures" }),
    run: () => (frame) => frame.result,
  },
} satisfies Readonly<Record<string, OpRow>>;
