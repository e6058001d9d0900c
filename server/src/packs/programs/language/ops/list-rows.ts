import type { GraphNode, Input } from "../node.ts";
import { enclosed } from "../layout.ts";
import { allocate, type Code, type CallFrame, spend, trap } from "../run/frame.ts";
import type { Value } from "../run/values.ts";
import { arrayOf, i64Type, isNever, itemOf, listOf, neverType, type Type } from "../types.ts";
import { oneType } from "./one-type.ts";
import { type CompileContext, levels, type OpRow, type TypeContext } from "./op-row.ts";
import { members } from "./struct-rows.ts";

function listType(check: TypeContext, node: GraphNode, expected?: Type): Type {
  const wanted = expected === undefined ? undefined : itemOf(expected);
  if (wanted !== undefined) for (const port of node.inputs.keys()) check.expect(node, port, wanted);
  const item = wanted ?? (node.inputs.length === 0 ? neverType : oneType(check, node));
  if (isNever(item))
    return check.report(node, {
      code: "type.unknown",
      message: "The type of this list is not clear here: give the name a type",
      expected: "list<T>",
    });
  return expected?.kind === "array" ? arrayOf(item, node.inputs.length) : listOf(item);
}

/** The type of an input that must be a list or an array. */
function sequence(
  check: TypeContext,
  node: GraphNode,
  { input, expected }: { input: Input | undefined; expected?: Type | undefined },
): Type {
  const type = check.infer(input, expected);
  if (isNever(type) || itemOf(type) !== undefined) return type;
  return check.report(node, {
    code: "type.mismatch",
    message: `${node.op} needs a list or an array, not ${check.show(type)}`,
    expected: "list<T>",
    found: check.show(type),
  });
}

const isTextOrList = (type: Type): boolean => type.kind === "list" || type.text === "text";

/** The type of an input that must be a list or a text. */
function textOrList(check: TypeContext, node: GraphNode, expected?: Type): Type {
  const type = check.infer(node.inputs[0], expected);
  if (isNever(type) || isTextOrList(type) || (node.op === "length" && type.kind === "array")) return type;
  return check.report(node, {
    code: "type.mismatch",
    message: `${node.op} needs a list or a text, not ${check.show(type)}`,
    expected: "list<T> or text",
    found: check.show(type),
  });
}

function position(at: Value, length: number): number {
  const index = at as bigint;
  if (index < 0n || index >= BigInt(length)) trap(`The index ${index} is not from 0 to ${length - 1}.`);
  return Number(index);
}

const lengthOf = (frame: CallFrame, value: Value): number => {
  if (typeof value !== "string") return (value as readonly Value[]).length;
  spend(frame, value.length);
  return Array.from(value).length;
};

function runSlice(compile: CompileContext, node: GraphNode): Code {
  const [value, from, to] = node.inputs.map((input) => compile.code(input));
  return (frame) => {
    const whole = value?.(frame) ?? "";
    if (typeof whole === "string") spend(frame, whole.length);
    const parts = typeof whole === "string" ? Array.from(whole) : (whole as readonly Value[]);
    const [first, end] = [from?.(frame) as bigint, to?.(frame) as bigint];
    if (first < 0n || end < first || end > BigInt(parts.length))
      trap(`The slice from ${first} to ${end} is not within 0 to ${parts.length}.`);
    const cut = parts.slice(Number(first), Number(end));
    allocate(frame, cut.length);
    return typeof whole === "string" ? (cut as readonly string[]).join("") : cut;
  };
}

function runJoin(compile: CompileContext, node: GraphNode): Code {
  const [left, right] = [compile.code(node.inputs[0]), compile.code(node.inputs[1])];
  return (frame) => {
    const [a, b] = [left(frame), right(frame)];
    if (typeof a === "string") {
      allocate(frame, a.length + (b as string).length);
      return a + (b as string);
    }
    allocate(frame, (a as readonly Value[]).length + (b as readonly Value[]).length);
    return [...(a as readonly Value[]), ...(b as readonly Value[])];
  };
}

const plain = { attributes: [], regions: [], place: "value" } as const;

export const listRows = {
  list_make: {
    ...plain,
    inputs: [0, 1_000],
    text: { form: "own", level: levels.atom, print: (print, node) => enclosed("[", node.inputs.map(print.inner), "]") },
    type: listType,
    run: (compile, node) => {
      const inputs = node.inputs.map((input) => compile.code(input));
      return (frame) => {
        allocate(frame, inputs.length);
        return inputs.map((input) => input(frame));
      };
    },
  },
  index: {
    ...plain,
    inputs: [2, 2],
    traps: true,
    text: {
      form: "own",
      level: levels.postfix,
      print: (print, node) => [print.value(node.inputs[0], levels.postfix), "[", print.inner(node.inputs[1]), "]"],
    },
    type: (check, node) => {
      check.expect(node, 1, i64Type);
      return itemOf(sequence(check, node, { input: node.inputs[0] })) ?? neverType;
    },
    run: (compile, node) => {
      const [list, at] = [compile.code(node.inputs[0]), compile.code(node.inputs[1])];
      return (frame) => {
        const items = list(frame) as readonly Value[];
        return items[position(at(frame), items.length)] ?? null;
      };
    },
  },
  with_index: {
    ...plain,
    inputs: [3, 3],
    traps: true,
    text: {
      form: "own",
      level: levels.postfix,
      hasBraces: true,
      print: (print, node) => [
        print.value(node.inputs[0], levels.postfix),
        " with ",
        members([["[", print.inner(node.inputs[1]), "]: ", print.inner(node.inputs[2])]]),
      ],
    },
    type: (check, node, expected) => {
      const type = sequence(check, node, { input: node.inputs[0], expected });
      check.expect(node, 1, i64Type);
      const item = itemOf(type);
      if (item === undefined) check.infer(node.inputs[2]);
      else check.expect(node, 2, item);
      return type;
    },
    run: (compile, node) => {
      const [list, at, value] = node.inputs.map((input) => compile.code(input));
      return (frame) => {
        const items = (list?.(frame) ?? []) as readonly Value[];
        const index = position(at?.(frame) ?? 0n, items.length);
        const item = value?.(frame) ?? null;
        allocate(frame, items.length);
        return items.with(index, item);
      };
    },
  },
  length: {
    ...plain,
    inputs: [1, 1],
    text: { form: "call", name: "length" },
    type: (check, node) => {
      textOrList(check, node);
      return i64Type;
    },
    run: (compile, node) => {
      const value = compile.code(node.inputs[0]);
      return (frame) => BigInt(lengthOf(frame, value(frame)));
    },
  },
  push: {
    ...plain,
    inputs: [2, 2],
    text: { form: "call", name: "push" },
    type: (check, node, expected) => {
      const type = textOrList(check, node, expected);
      if (type.kind === "list") check.expect(node, 1, type.item);
      else {
        check.infer(node.inputs[1]);
        if (!isNever(type))
          check.report(node, { code: "type.mismatch", message: "push needs a list", found: check.show(type) });
      }
      return type;
    },
    run: (compile, node) => {
      const [list, value] = [compile.code(node.inputs[0]), compile.code(node.inputs[1])];
      return (frame) => {
        const items = list(frame) as readonly Value[];
        const item = value(frame);
        allocate(frame, items.length + 1);
        return [...items, item];
      };
    },
  },
  slice: {
    ...plain,
    inputs: [3, 3],
    traps: true,
    text: { form: "call", name: "slice" },
    type: (check, node, expected) => {
      const type = textOrList(check, node, expected);
      check.expect(node, 1, i64Type);
      check.expect(node, 2, i64Type);
      return type;
    },
    run: runSlice,
  },
  join: {
    ...plain,
    inputs: [2, 2],
    text: { form: "call", name: "join" },
    type: (check, node, expected) => {
      const type = oneType(check, node, expected);
      if (isNever(type) || isTextOrList(type)) return type;
      return check.report(node, {
        code: "type.mismatch",
        message: "join needs two lists or two texts",
        found: check.show(type),
      });
    },
    run: runJoin,
  },
} satisfies Readonly<Record<string, OpRow>>;
