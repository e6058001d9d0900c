/** Bounds on inputs that simple conditions name. They only make cases likely to satisfy the conditions. */
import type { Condition, FunctionGraph, GraphNode, Input } from "../node.ts";
import { allNodes } from "../node.ts";
import type { OpName } from "../op-names.ts";
import type { Value } from "../run/values.ts";
import { isFloat, isInteger, type Type } from "../types.ts";

type Comparison = "lt" | "le" | "gt" | "ge" | "eq" | "ne";

/** A parameter, the length of one, or a literal. */
interface Side {
  readonly parameter?: number;
  readonly isLength: boolean;
  readonly literal?: number | bigint;
}

interface Bound {
  readonly left: Side;
  readonly comparison: Comparison;
  readonly right: Side;
}

const opposite: Readonly<Record<Comparison, Comparison>> = {
  lt: "ge",
  le: "gt",
  gt: "le",
  ge: "lt",
  eq: "ne",
  ne: "eq",
};
const mirrored: Readonly<Record<Comparison, Comparison>> = {
  lt: "gt",
  le: "ge",
  gt: "lt",
  ge: "le",
  eq: "eq",
  ne: "ne",
};

const isComparison = (op: OpName): op is Comparison => Object.hasOwn(opposite, op);

function literalOf(node: GraphNode): number | bigint | undefined {
  const [kind, text] = node.attributes;
  if (node.op === "neg") {
    const [inner] = node.inputs;
    const value = typeof inner === "object" ? literalOf(inner) : undefined;
    return value === undefined ? undefined : -value;
  }
  if (node.op !== "const") return undefined;
  if (kind === "int") return BigInt(String(text));
  return kind === "float" ? Number(text) : undefined;
}

function sideOf(input: Input | undefined): Side | undefined {
  if (input === undefined) return undefined;
  if (typeof input === "number") return { parameter: input, isLength: false };
  if (input.op === "length" && typeof input.inputs[0] === "number")
    return { parameter: input.inputs[0], isLength: true };
  const literal = literalOf(input);
  return literal === undefined ? undefined : { literal, isLength: false };
}

function boundsIn(input: Input, isNegated: boolean): readonly Bound[] {
  if (typeof input === "number") return [];
  if (input.op === "negate") return input.inputs.flatMap((each) => boundsIn(each, !isNegated));
  if (input.op === (isNegated ? "either" : "both")) return input.inputs.flatMap((each) => boundsIn(each, isNegated));
  if (!isComparison(input.op)) return [];
  const [left, right] = [sideOf(input.inputs[0]), sideOf(input.inputs[1])];
  if (left === undefined || right === undefined) return [];
  const comparison = isNegated ? opposite[input.op] : input.op;
  return left.parameter === undefined
    ? [{ left: right, comparison: mirrored[comparison], right: left }]
    : [{ left, comparison, right }];
}

export function boundsOf(conditions: readonly Condition[]): readonly Bound[] {
  return conditions.flatMap(({ value }) => boundsIn(value, false));
}

const holds: Readonly<Record<Comparison, (a: number | bigint, b: number | bigint) => boolean>> = {
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
};

/** How far the left side may be from the right one, to satisfy the comparison. */
function moved(to: number | bigint, comparison: Comparison, by: number): number | bigint {
  const step = comparison === "lt" || comparison === "gt" || comparison === "ne" ? 1 + by : by;
  const signed = comparison === "lt" || comparison === "le" ? -step : comparison === "eq" ? 0 : step;
  return typeof to === "bigint" ? to + BigInt(signed) : to + signed;
}

function resized(value: Value, length: number): Value {
  if (typeof value === "string") {
    // The length of a text counts Unicode scalar values.
    const letters = Array.from(value).slice(0, length);
    return `${letters.join("")}${"a".repeat(Math.max(0, length - letters.length))}`;
  }
  const items = value as readonly Value[];
  const [first] = items;
  if (items.length >= length) return items.slice(0, length);
  return first === undefined ? items : [...items, ...Array.from({ length: length - items.length }, () => first)];
}

/** Maximum length of a list that a bound asks for. */
const lengthMax = 64;

/** The inputs of a function by the ids of its parameters. */
class BoundInputs {
  readonly values: Value[];
  readonly #places: ReadonlyMap<number, number>;

  constructor(inputs: readonly Value[], graph: FunctionGraph) {
    this.values = [...inputs];
    this.#places = new Map(graph.parameters.map(({ id }, index) => [id, index]));
  }

  place({ parameter }: Side): number | undefined {
    return parameter === undefined ? undefined : this.#places.get(parameter);
  }

  read(side: Side): number | bigint | undefined {
    if (side.parameter === undefined) return side.literal;
    const value = this.values[this.place(side) ?? -1];
    if (side.isLength && typeof value === "string") return BigInt(Array.from(value).length);
    if (side.isLength) return Array.isArray(value) ? BigInt(value.length) : undefined;
    return typeof value === "bigint" || typeof value === "number" ? value : undefined;
  }

  /** Changes the left side so that the comparison probably holds. */
  satisfy({ left, comparison, right }: Bound, by: () => number): void {
    const [a, b] = [this.read(left), this.read(right)];
    const [place, other] = [this.place(left), this.place(right)];
    if (a === undefined || b === undefined || place === undefined || holds[comparison](a, b)) return;
    const value = this.values[place] ?? null;
    if (left.isLength) {
      const length = Number(moved(b, comparison, by() % 4));
      this.values[place] = resized(value, Math.min(lengthMax, Math.max(0, length)));
    } else if (other !== undefined && !right.isLength && holds[comparison](b, a)) {
      this.values[place] = this.values[other] ?? null;
      this.values[other] = value;
    } else this.values[place] = moved(b, comparison, by());
  }
}

/** Moves inputs into the bounds. `by` varies how far inside. Values that do not fit their types are left alone. */
export function withinBounds(
  inputs: readonly Value[],
  bounds: readonly Bound[],
  { graph, by }: { graph: FunctionGraph; by: () => number },
): readonly Value[] {
  const bound = new BoundInputs(inputs, graph);
  for (let pass = 0; pass < 3; pass += 1) for (const each of bounds) bound.satisfy(each, by);
  return bound.values;
}

/** By function and type: each case of a function asks for each of its parameters. */
const literals = new WeakMap<FunctionGraph, Map<string, readonly Value[]>>();

/** Literals of a function, which are interesting inputs, and their neighbours. */
export function literalsOf(graph: FunctionGraph, type: Type): readonly Value[] {
  const ofGraph = literals.get(graph) ?? new Map<string, readonly Value[]>();
  literals.set(graph, ofGraph);
  const found = ofGraph.get(type.text) ?? literalsIn(graph, type);
  ofGraph.set(type.text, found);
  return found;
}

function literalsIn(graph: FunctionGraph, type: Type): readonly Value[] {
  const found: Value[] = [];
  for (const node of allNodes(graph)) {
    const literal = literalOf(node);
    if (typeof literal === "bigint" && isInteger(type)) found.push(literal - 1n, literal, literal + 1n);
    else if (typeof literal === "number" && isFloat(type)) found.push(literal - 1, literal, literal + 1);
    else if (node.op === "const" && node.attributes[0] === "text" && type.text === "text")
      found.push(String(node.attributes[1]));
  }
  return found.slice(0, 60);
}
