/**
 * A second evaluator, written as plainly as possible: it walks the graph, keeps values in a map, and has its own rules for
 * each op. It has no limits, so it is used only where the interpreter ends.
 */
import type { Typing } from "../../server/src/packs/programs/language/check/types.ts";
import {
  type FunctionGraph,
  type GraphNode,
  type Input,
  listAttribute,
  type Region,
  textAttribute,
} from "../../server/src/packs/programs/language/node.ts";
import type { OpName } from "../../server/src/packs/programs/language/op-names.ts";
import type { Value } from "../../server/src/packs/programs/language/run/values.ts";
import type { TypeDefinition } from "../../server/src/packs/programs/language/type-definition.ts";
import type { Type } from "../../server/src/packs/programs/language/types.ts";

export class NaiveTrap extends Error {}
export class NaiveFailure extends Error {}
class Leave extends Error {
  readonly kind: string;
  readonly value: Value;
  constructor(kind: string, value: Value = null) {
    super(kind);
    this.kind = kind;
    this.value = value;
  }
}

export interface NaiveSource {
  readonly graph: (id: string) => FunctionGraph;
  readonly typing: (id: string) => Typing;
  readonly definition: (id: string) => TypeDefinition;
}

const widths: Readonly<Record<string, number>> = { i8: 8, i16: 16, i32: 32, i64: 64 };

function fit(value: bigint, type: Type): bigint {
  if (BigInt.asIntN(widths[type.text]!, value) !== value) throw new NaiveTrap("overflow");
  return value;
}

const list = (value: Value): readonly Value[] => value as readonly Value[];
const deepEqual = (a: Value, b: Value): boolean => {
  if (typeof a !== "object" || a === null) return a === b;
  if (Array.isArray(a))
    return a.length === list(b).length && a.every((item: Value, index) => deepEqual(item, list(b)[index]!));
  const [x, y] = [a as { variant: string; payload: Value }, b as { variant: string; payload: Value }];
  return x.variant === y.variant && deepEqual(x.payload, y.payload);
};
const codePoints = (text: string): readonly number[] => Array.from(text).map((each) => each.codePointAt(0)!);
function order(a: Value, b: Value): number {
  if (typeof a !== "string") return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
  const [x, y] = [codePoints(a), codePoints(b as string)];
  const at = x.findIndex((code, index) => code !== y[index]);
  return at === -1 ? x.length - y.length : y[at] === undefined ? 1 : x[at]! - y[at];
}

const builtins: Readonly<Record<string, (inputs: readonly Value[]) => Value>> = {
  max: ([a, b]) => (order(a!, b!) < 0 ? b! : a!),
  floor: ([a]) => Math.floor(a as number),
  to_text: ([a]) => (a as bigint | number).toString(),
  upper: ([a]) =>
    Array.from(a as string)
      .map((each) => (each >= "a" && each <= "z" ? each.toUpperCase() : each))
      .join(""),
  reverse: ([a]) => (typeof a === "string" ? Array.from(a).reverse().join("") : [...list(a!)].reverse()),
  sort: ([a]) => [...list(a!)].sort(order),
  split: ([a, b]) => (a as string).split(b as string),
  parse_i64: ([a]) => {
    const text = a as string;
    const isWhole = /^-?[0-9]{1,19}$/u.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
    return isWhole ? { variant: "some", payload: BigInt(text) } : { variant: "none", payload: null };
  },
};

export class NaiveEvaluator {
  readonly #source: NaiveSource;
  constructor(source: NaiveSource) {
    this.#source = source;
  }

  call(id: string, inputs: readonly Value[]): Value {
    const graph = this.#source.graph(id);
    const values = new Map<number, Value>(graph.parameters.map((each, index) => [each.id, inputs[index]!]));
    const run = new Run(this, this.#source, this.#source.typing(id), values);
    for (const { value } of graph.requires) if (run.value(value) !== true) throw new NaiveFailure("condition.requires");
    run.result = run.body(graph.body);
    for (const { value } of graph.ensures) if (run.value(value) !== true) throw new NaiveFailure("condition.ensures");
    return run.result;
  }
}

type Rule = (run: Run, node: GraphNode) => Value;
const arithmetic =
  (whole: (a: bigint, b: bigint, type: Type) => bigint, real: (a: number, b: number) => number = () => NaN): Rule =>
  (run, node) => {
    const type = run.typing.types.get(node.id)!;
    const [a, b = 0] = node.inputs.map((input) => run.value(input));
    if (type.text === "f64") return real(a as number, b as number);
    if (type.text === "f32") return Math.fround(real(a as number, b as number));
    return whole(a as bigint, b as bigint, type);
  };
const wrap = (value: bigint, type: Type): bigint => BigInt.asIntN(widths[type.text]!, value);
const compare =
  (holds: (sign: number) => boolean): Rule =>
  (run, node) =>
    holds(order(run.value(node.inputs[0]!), run.value(node.inputs[1]!)));

const rules: Partial<Readonly<Record<OpName, Rule>>> = {
  const: (run, node) => {
    const [kind, text] = [node.attributes[0], textAttribute(node, 1)];
    if (kind === "text") return text;
    if (kind === "bool") return text === "true";
    if (kind === "unit") return null;
    const isShort = run.typing.types.get(node.id)!.text === "f32";
    return kind === "int" ? BigInt(text) : isShort ? Math.fround(Number(text)) : Number(text);
  },
  get: (run, node) => run.values.get(node.inputs[0] as number)!,
  result: (run) => run.result,
  let: (run, node) => run.bind(node.id, run.value(node.inputs[0]!)),
  var: (run, node) => run.bind(node.id, run.value(node.inputs[0]!)),
  set: (run, node) => run.bind(node.inputs[0] as number, run.value(node.inputs[1]!)),
  drop: (run, node) => (run.value(node.inputs[0]!), null),
  add: arithmetic(
    (a, b, type) => fit(a + b, type),
    (a, b) => a + b,
  ),
  mul: arithmetic(
    (a, b, type) => fit(a * b, type),
    (a, b) => a * b,
  ),
  rem: arithmetic((a, b) => {
    if (b === 0n) throw new NaiveTrap("zero");
    return a - (a / b) * b;
  }),
  neg: arithmetic(
    (a, _, type) => fit(0n - a, type),
    (a) => -a,
  ),
  abs: arithmetic(
    (a, _, type) => fit(a < 0n ? -a : a, type),
    (a) => (a < 0 || Object.is(a, -0) ? -a : a),
  ),
  add_wrap: arithmetic((a, b, type) => wrap(a + b, type)),
  sub_wrap: arithmetic((a, b, type) => wrap(a - b, type)),
  mul_wrap: arithmetic((a, b, type) => wrap(a * b, type)),
  and: arithmetic((a, b) => a & b),
  or: arithmetic((a, b) => a | b),
  xor: arithmetic((a, b) => a ^ b),
  not: arithmetic((a) => -a - 1n),
  sar: arithmetic((a, b, type) => {
    if (b < 0n || b >= BigInt(widths[type.text]!)) throw new NaiveTrap("shift");
    const by = 2n ** b;
    return a >= 0n ? a / by : -((-a + by - 1n) / by);
  }),
  as: (run, node) => fit(run.value(node.inputs[0]!) as bigint, run.typing.types.get(node.id)!),
  eq: (run, node) => deepEqual(run.value(node.inputs[0]!), run.value(node.inputs[1]!)),
  ne: (run, node) => !deepEqual(run.value(node.inputs[0]!), run.value(node.inputs[1]!)),
  lt: compare((sign) => sign < 0),
  le: compare((sign) => sign <= 0),
  gt: compare((sign) => sign > 0),
  ge: compare((sign) => sign >= 0),
  both: (run, node) => run.value(node.inputs[0]!) === true && run.value(node.inputs[1]!) === true,
  either: (run, node) => run.value(node.inputs[0]!) === true || run.value(node.inputs[1]!) === true,
  negate: (run, node) => run.value(node.inputs[0]!) === false,
  if: (run, node) => (run.value(node.inputs[0]!) === true ? run.region(node.regions[0]) : run.region(node.regions[1])),
  match: (run, node) => run.match(run.value(node.inputs[0]!), node.regions[0]!),
  while: (run, node) => {
    while (run.value(node.inputs[0]!) === true) if (run.loop(node.regions[0]!)) break;
    return null;
  },
  for: (run, node) => {
    const [from, to] = node.inputs.map((input) => run.value(input));
    const items = to === undefined ? list(from!) : range(from as bigint, to as bigint);
    for (const item of items) {
      run.bind(node.id, item);
      if (run.loop(node.regions[0]!)) break;
    }
    return null;
  },
  return: (run, node) => {
    throw new Leave("return", run.value(node.inputs[0]!));
  },
  assert: (run, node) => {
    if (run.value(node.inputs[0]!) !== true) throw new NaiveFailure("condition.assert");
    return null;
  },
  call: (run, node) =>
    run.owner.call(
      textAttribute(node, 0),
      node.inputs.map((input) => run.value(input)),
    ),
  builtin: (run, node) => builtins[textAttribute(node, 0)]!(node.inputs.map((input) => run.value(input))),
  print: (run, node) => (run.value(node.inputs[0]!), null),
  struct_make: (run, node) => {
    const definition = run.source.definition(textAttribute(node, 0));
    const given = new Map(listAttribute(node, 1).map((name, index) => [name, run.value(node.inputs[index]!)]));
    return definition.members.map(({ name }) => given.get(name)!);
  },
  struct_get: (run, node) => list(run.value(node.inputs[0]!))[run.fieldIndex(node.inputs[0]!, textAttribute(node, 0))]!,
  struct_with: (run, node) => {
    const copy = [...list(run.value(node.inputs[0]!))];
    for (const [index, field] of listAttribute(node, 0).entries())
      copy[run.fieldIndex(node.inputs[0]!, field)] = run.value(node.inputs[index + 1]!);
    return copy;
  },
  enum_make: (run, node) => ({
    variant: textAttribute(node, 1),
    payload: node.inputs[0] === undefined ? null : run.value(node.inputs[0]),
  }),
  list_make: (run, node) => node.inputs.map((input) => run.value(input)),
  index: (run, node) => {
    const items = list(run.value(node.inputs[0]!));
    const at = Number(run.value(node.inputs[1]!));
    if (at < 0 || at >= items.length) throw new NaiveTrap("index");
    return items[at]!;
  },
  with_index: (run, node) => {
    const copy = [...list(run.value(node.inputs[0]!))];
    const at = Number(run.value(node.inputs[1]!));
    if (at < 0 || at >= copy.length) throw new NaiveTrap("index");
    copy[at] = run.value(node.inputs[2]!);
    return copy;
  },
  length: (run, node) => BigInt(Array.from(run.value(node.inputs[0]!) as string).length),
  push: (run, node) => [...list(run.value(node.inputs[0]!)), run.value(node.inputs[1]!)],
  join: (run, node) => {
    const [a, b] = node.inputs.map((input) => run.value(input));
    return typeof a === "string" ? a + (b as string) : [...list(a!), ...list(b!)];
  },
};

function range(from: bigint, to: bigint): readonly bigint[] {
  const items: bigint[] = [];
  for (let at = from; at < to; at += 1n) items.push(at);
  return items;
}

class Run {
  result: Value = null;
  readonly owner: NaiveEvaluator;
  readonly source: NaiveSource;
  readonly typing: Typing;
  readonly values: Map<number, Value>;
  constructor(owner: NaiveEvaluator, source: NaiveSource, typing: Typing, values: Map<number, Value>) {
    this.owner = owner;
    this.source = source;
    this.typing = typing;
    this.values = values;
  }

  bind(id: number, value: Value): null {
    this.values.set(id, value);
    return null;
  }

  value(input: Input): Value {
    if (typeof input === "number") return this.values.get(input)!;
    const rule = rules[input.op];
    if (rule === undefined) throw new Error(`the naive evaluator does not know ${input.op}`);
    return rule(this, input);
  }

  region(region: Region | undefined): Value {
    let value: Value = null;
    for (const item of region ?? []) value = this.value(item.value);
    return value;
  }

  body(region: Region): Value {
    try {
      return this.region(region);
    } catch (error) {
      if (error instanceof Leave && error.kind === "return") return error.value;
      throw error;
    }
  }

  /** True if the loop ends. */
  loop(region: Region): boolean {
    this.region(region);
    return false;
  }

  fieldIndex(input: Input, field: string): number {
    const type = typeof input === "number" ? this.typing.bindings.get(input)! : this.typing.types.get(input.id)!;
    return this.source.definition(type.text.slice(1)).members.findIndex(({ name }) => name === field);
  }

  match(value: Value, arms: Region): Value {
    for (const { value: arm } of arms as readonly { value: GraphNode }[]) {
      const [kind, wanted, name] = arm.attributes;
      const variant = value as { variant: string; payload: Value };
      const isMatch =
        kind === "any" ||
        (kind === "variant" && variant.variant === wanted) ||
        (kind === "int" && value === BigInt(wanted as string)) ||
        (kind === "bool" && value === (wanted === "true")) ||
        (kind === "text" && value === wanted);
      if (!isMatch) continue;
      if (name !== null) this.bind(arm.id, variant.payload);
      return this.region(arm.regions[0]);
    }
    throw new NaiveTrap("no arm");
  }
}
