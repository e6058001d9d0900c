import type { FindDefinition, Value } from "../run/values.ts";
import { isVariant } from "../run/values.ts";
import type { Type } from "../types.ts";

/** Maximum tries to make a failing case smaller. */
const triesMax = 200;

function* smallerLists(items: readonly Value[], canShorten: boolean, item: (index: number) => Iterable<Value>): Generator<Value, void> {
  if (canShorten && items.length > 0) {
    yield [];
    if (items.length > 2) yield items.slice(0, Math.floor(items.length / 2));
    for (const index of items.keys()) yield items.toSpliced(index, 1);
  }
  for (const index of items.keys()) for (const value of item(index)) yield items.with(index, value);
}

/** Values that are simpler than a value, simplest first. */
export function* smallerValues(value: Value, type: Type, find: FindDefinition): Generator<Value, void> {
  if (typeof value === "bigint") {
    if (value !== 0n) yield 0n;
    if (value < 0n) yield -value;
    if (value / 2n !== 0n) yield value / 2n;
    if (value !== 0n) yield value > 0n ? value - 1n : value + 1n;
  } else if (typeof value === "number") {
    if (value !== 0) yield 0;
    if (Math.trunc(value) !== value) yield Math.trunc(value);
    if (Math.abs(value) > 1 && Number.isFinite(value)) yield Math.trunc(value / 2);
  } else if (typeof value === "string") {
    const letters = Array.from(value);
    for (const part of smallerLists(letters, true, () => [])) yield (part as readonly string[]).join("");
  } else if (value === true) yield false;
  else if (isVariant(value)) {
    const payload = type.kind === "option" ? type.item : undefined;
    if (value.variant === "some") yield { variant: "none", payload: null };
    if (payload !== undefined) for (const each of smallerValues(value.payload, payload, find)) yield { ...value, payload: each };
  } else if (Array.isArray(value)) {
    const items = value as readonly Value[];
    const members = type.kind === "named" ? (find(type.id)?.members ?? []) : [];
    const typeAt = (index: number): Type | null | undefined =>
      type.kind === "list" || type.kind === "array" ? type.item : members[index]?.type;
    yield* smallerLists(items, type.kind === "list", (index) => {
      const of = typeAt(index);
      return of ? smallerValues(items[index] ?? null, of, find) : [];
    });
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
  for (let isSmaller = true; isSmaller && tries < triesMax; ) {
    isSmaller = false;
    search: for (const [index, type] of types.entries())
      for (const value of smallerValues(best[index] ?? null, type, find)) {
        tries += 1;
        if (tries > triesMax) break search;
        const candidate = best.with(index, value);
        if (!fails(candidate)) continue;
        best = candidate;
        isSmaller = true;
        break search;
      }
  }
  return best;
}
