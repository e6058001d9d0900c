import { type FindDefinition, isVariant, type Value } from "../run/values.ts";
import type { Type } from "../types.ts";

/** Maximum tries to make a failing case smaller. */
const triesMax = 200;

/** Coarse changes come first: steps of one would use up the tries. */
type Grain = "coarse" | "fine";

/** Large divisors first, so that a large number becomes small in few tries. */
const divisors = [1n << 32n, 1n << 8n, 2n] as const;

function* smallerWhole(value: bigint, grain: Grain): Generator<bigint, void> {
  if (value === 0n) return;
  if (grain === "fine") {
    yield value > 0n ? value - 1n : value + 1n;
    return;
  }
  yield 0n;
  if (value < 0n) yield -value;
  for (const by of divisors) if (value / by !== 0n) yield value / by;
}

function* smallerFloat(value: number, grain: Grain): Generator<number, void> {
  if (grain === "fine" || value === 0) return;
  yield 0;
  if (Math.trunc(value) !== value) yield Math.trunc(value);
  if (Math.abs(value) > 1 && Number.isFinite(value)) yield Math.trunc(value / 2);
}

function* shorter<Item>(items: readonly Item[]): Generator<readonly Item[], void> {
  if (items.length === 0) return;
  yield [];
  if (items.length > 2) yield items.slice(0, Math.floor(items.length / 2));
  for (const index of items.keys()) yield items.toSpliced(index, 1);
}

/** The type of each part of a list, an array or a struct. */
function partType(type: Type, index: number, find: FindDefinition): Type | null | undefined {
  if (type.kind === "list" || type.kind === "array") return type.item;
  return type.kind === "named" ? find(type.id)?.members[index]?.type : undefined;
}

interface Shrinking {
  readonly find: FindDefinition;
  readonly grain: Grain;
}

function* smallerParts(items: readonly Value[], type: Type, how: Shrinking): Generator<Value, void> {
  if (type.kind === "list" && how.grain === "coarse") yield* shorter(items);
  for (const [index, item] of items.entries()) {
    const of = partType(type, index, how.find);
    if (of) for (const value of smallerValues(item, of, how)) yield items.with(index, value);
  }
}

/** Values that are simpler than a value, simplest first. */
function* smallerValues(value: Value, type: Type, how: Shrinking): Generator<Value, void> {
  if (typeof value === "bigint") yield* smallerWhole(value, how.grain);
  else if (typeof value === "number") yield* smallerFloat(value, how.grain);
  else if (typeof value === "string") {
    if (how.grain === "coarse") for (const letters of shorter(Array.from(value))) yield letters.join("");
  } else if (value === true && how.grain === "coarse") yield false;
  else if (Array.isArray(value)) yield* smallerParts(value as readonly Value[], type, how);
  else if (isVariant(value) && type.kind === "option" && value.variant === "some") {
    if (how.grain === "coarse") yield { variant: "none", payload: null };
    for (const payload of smallerValues(value.payload, type.item, how)) yield { variant: "some", payload };
  }
}

/** Two integers nearer to zero at once: a condition between them may forbid to change one alone. */
function* smallerPairs(inputs: readonly Value[], grain: Grain): Generator<readonly Value[], void> {
  const whole = [...inputs.keys()].filter((index) => typeof inputs[index] === "bigint");
  const nearer = (value: bigint): bigint => (value > 0n ? value - 1n : value < 0n ? value + 1n : value);
  const changes = grain === "fine" ? [nearer] : [() => 0n, ...divisors.map((by) => (value: bigint) => value / by)];
  for (const first of whole)
    for (const second of whole.filter((index) => index > first)) {
      const [a, b] = [inputs[first] as bigint, inputs[second] as bigint];
      if (a === 0n && b === 0n) continue;
      for (const change of changes) yield inputs.with(first, change(a)).with(second, change(b));
    }
}

function* smallerInputs(
  inputs: readonly Value[],
  types: readonly Type[],
  find: FindDefinition,
): Generator<readonly Value[], void> {
  for (const grain of ["coarse", "fine"] as const) {
    for (const [index, type] of types.entries())
      for (const value of smallerValues(inputs[index] ?? null, type, { find, grain })) yield inputs.with(index, value);
    yield* smallerPairs(inputs, grain);
  }
}

/** The simplest inputs that still fail, within the tries. */
export function shrinkInputs(
  inputs: readonly Value[],
  types: readonly Type[],
  { find, fails }: { find: FindDefinition; fails: (inputs: readonly Value[]) => boolean },
): readonly Value[] {
  let best = inputs;
  let tries = 0;
  for (let isSmaller = true; isSmaller && tries < triesMax;) {
    isSmaller = false;
    for (const candidate of smallerInputs(best, types, find)) {
      tries += 1;
      if (tries > triesMax) break;
      if (!fails(candidate)) continue;
      best = candidate;
      isSmaller = true;
      break;
    }
  }
  return best;
}
