import { type GraphNode, type Region, textAttribute } from "../node.ts";
import { group, type Layout, nest, newLine } from "../layout.ts";
import {
  breakSignal,
  type Code,
  continueSignal,
  ExecutionFailed,
  type CallFrame,
  leave,
  returnSignal,
  spend,
} from "../run/frame.ts";
import type { Value } from "../run/values.ts";
import { boolType, i64Type, isNever, isUnit, itemOf, neverType, type Type, unitType } from "../types.ts";
import { isOpen } from "./one-type.ts";
import { type CompileContext, levels, type OpRow, type PrintContext, type TypeContext } from "./op-row.ts";

const own = (print: (print: PrintContext, node: GraphNode) => Layout): OpRow["text"] => ({
  form: "own",
  level: levels.flow,
  print,
});

function ifType(check: TypeContext, node: GraphNode, expected?: Type): Type {
  check.expect(node, 0, boolType);
  const otherwise = node.regions[1];
  if (otherwise === undefined) {
    check.expectRegion(node, 0, unitType);
    return unitType;
  }
  return joinRegions(check, node, [0, 1], expected);
}

/** Whether the value of a region takes the type that is expected of it. */
const isOpenRegion = (region: Region | undefined): boolean => isOpen(region?.at(-1)?.value);

/** The one type of several regions. Those that never end join with any type. */
export function joinRegions(check: TypeContext, node: GraphNode, regions: readonly number[], expected?: Type): Type {
  let type = expected;
  const later: number[] = [];
  for (const index of regions) {
    if (type !== undefined) check.expectRegion(node, index, type);
    else if (isOpenRegion(node.regions[index])) later.push(index);
    else {
      const found = check.region(node.regions[index]);
      if (!isNever(found)) type = found;
    }
  }
  for (const index of later)
    if (type !== undefined) check.expectRegion(node, index, type);
    else {
      const found = check.region(node.regions[index]);
      if (!isNever(found)) type = found;
    }
  return type ?? neverType;
}

/** `else if` instead of a block that holds only an `if`. */
function elsePart(print: PrintContext, region: Region): Layout {
  const [only, more] = region;
  const isChain = more === undefined && only?.note === null && typeof only.value === "object" && only.value.op === "if";
  return isChain ? print.value(only.value, levels.flow) : print.block(region);
}

const ifRow: OpRow = {
  attributes: [],
  inputs: [1, 1],
  regions: ["then", "else"],
  place: "value",
  text: own((print, node) => {
    const [then = [], otherwise] = node.regions;
    const first: Layout = [`${print.keyword("if", node)} `, print.head(node.inputs[0]), " ", print.block(then)];
    return otherwise === undefined ? group(first) : group(first, " else ", elsePart(print, otherwise));
  }),
  type: ifType,
  run: (compile, node) => {
    const test = compile.code(node.inputs[0]);
    const [then, otherwise] = [compile.region(node.regions[0]), compile.region(node.regions[1])];
    return (frame) => (test(frame) === true ? then(frame) : otherwise(frame));
  },
};

function runLoop(frame: CallFrame, body: Code): boolean {
  try {
    body(frame);
  } catch (signal) {
    if (signal === breakSignal) return false;
    if (signal !== continueSignal) throw signal;
  }
  return true;
}

const whileRow: OpRow = {
  attributes: [],
  inputs: [1, 1],
  regions: ["body"],
  place: "statement",
  text: own((print, node) => {
    const body = print.block(node.regions[0] ?? []);
    return group(`${print.keyword("while", node)} `, print.head(node.inputs[0]), " ", body);
  }),
  type: (check, node) => {
    check.expect(node, 0, boolType);
    check.loop(node.regions[0]);
    return unitType;
  },
  run: (compile, node) => {
    const [test, body] = [compile.code(node.inputs[0]), compile.region(node.regions[0])];
    return (frame) => {
      while (test(frame) === true) if (!runLoop(frame, body)) break;
      return null;
    };
  },
};

function forType(check: TypeContext, node: GraphNode): Type {
  if (node.inputs.length === 2) {
    check.bind(node.id, i64Type);
    check.expect(node, 0, i64Type);
    check.expect(node, 1, i64Type);
  } else {
    const type = check.infer(node.inputs[0]);
    const item = itemOf(type);
    if (item === undefined && !isNever(type))
      check.report(node, {
        code: "type.mismatch",
        message: `for needs a list, an array or a range, not ${check.show(type)}`,
        expected: "list<T>, [T; n] or i64..i64",
        found: check.show(type),
      });
    check.bind(node.id, item ?? neverType);
  }
  check.loop(node.regions[0]);
  return unitType;
}

function runFor(compile: CompileContext, node: GraphNode): Code {
  const [from, to] = [compile.code(node.inputs[0]), compile.code(node.inputs[1])];
  const body = compile.region(node.regions[0]);
  const slot = compile.slot(node.id);
  if (node.inputs.length === 1)
    return (frame) => {
      for (const item of from(frame) as readonly Value[]) {
        frame.slots[slot] = item;
        spend(frame, 1);
        if (!runLoop(frame, body)) break;
      }
      return null;
    };
  return (frame) => {
    const [first, end] = [from(frame) as bigint, to(frame) as bigint];
    for (let at = first; at < end; at += 1n) {
      frame.slots[slot] = at;
      spend(frame, 1);
      if (!runLoop(frame, body)) break;
    }
    return null;
  };
}

const forRow: OpRow = {
  attributes: ["name"],
  inputs: [1, 2],
  regions: ["body"],
  place: "statement",
  text: own((print, node) => {
    const end: Layout = node.inputs.length === 2 ? ["..", print.head(node.inputs[1])] : "";
    const head: Layout = [
      `${print.keyword("for", node)} ${textAttribute(node, 0)} in `,
      print.head(node.inputs[0]),
      end,
    ];
    return group(head, " ", print.block(node.regions[0] ?? []));
  }),
  type: forType,
  run: runFor,
};

function leaving(word: "break" | "continue", signal: object): OpRow {
  return {
    attributes: [],
    inputs: [0, 0],
    regions: [],
    place: "statement",
    text: own((print, node) => `${print.keyword(word, node)};`),
    type: (check, node) =>
      check.loopDepth() > 0
        ? neverType
        : check.report(node, { code: "flow.outside_loop", message: `${word} needs a loop around it` }),
    run: () => () => {
      leave(signal);
    },
  };
}

function returnType(check: TypeContext, node: GraphNode): Type {
  if (check.result === undefined)
    return check.report(node, { code: "condition.impure", message: "A condition cannot return" });
  if (node.inputs.length > 0) check.expect(node, 0, check.result);
  else if (!isUnit(check.result))
    check.report(node, {
      code: "type.mismatch",
      message: `return needs a value of ${check.show(check.result)}`,
      expected: check.show(check.result),
      found: "unit",
    });
  return neverType;
}

const returnRow: OpRow = {
  attributes: [],
  inputs: [0, 1],
  regions: [],
  place: "statement",
  text: own((print, node) =>
    node.inputs.length === 0
      ? `${print.keyword("return", node)};`
      : [`${print.keyword("return", node)} `, print.value(node.inputs[0], levels.flow), ";"],
  ),
  type: returnType,
  run: (compile, node) => {
    const value = compile.code(node.inputs[0]);
    return (frame) => {
      frame.result = value(frame);
      leave(returnSignal);
    };
  },
};

const assertRow: OpRow = {
  attributes: ["text?"],
  inputs: [1, 1],
  regions: [],
  place: "statement",
  text: own((print, node) => {
    const message = typeof node.attributes[0] === "string" ? ` ${JSON.stringify(node.attributes[0])}` : "";
    return [`${print.keyword("assert", node)} `, print.value(node.inputs[0], levels.flow), `${message};`];
  }),
  type: (check, node) => {
    check.expect(node, 0, boolType);
    return unitType;
  },
  run: (compile, node) => {
    const value = compile.code(node.inputs[0]);
    const condition = compile.text(node.inputs[0]);
    const message =
      typeof node.attributes[0] === "string" ? node.attributes[0] : `The assertion is false: ${condition}`;
    const failure = {
      code: "condition.assert",
      function_id: compile.functionId,
      node_id: node.id,
      message,
      condition,
    } as const;
    return (frame) => {
      if (value(frame) !== true) leave(new ExecutionFailed(failure));
      return null;
    };
  },
};

export const flowRows = {
  if: ifRow,
  while: whileRow,
  for: forRow,
  return: returnRow,
  break: leaving("break", breakSignal),
  continue: leaving("continue", continueSignal),
  assert: assertRow,
} satisfies Readonly<Record<string, OpRow>>;

/** The arms of a match, one on each line. */
export function armLines(print: PrintContext, region: Region): Layout {
  return region.length === 0 ? "{}" : ["{", nest(...print.items(region).map((item) => [newLine, item])), newLine, "}"];
}
