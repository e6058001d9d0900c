/**
 * Values as they are kept in memory. A value from the thread has its own copies of short words and of empty lists. A
 * program with 100,000 functions repeats them in each, so equal ones are shared.
 */
import { oneCopyOf } from "../../machine/one-copy-of.ts";
import type { FunctionValue } from "./language/function-value.ts";
import type { ItemValue } from "./program-value.ts";

const empty: readonly never[] = Object.freeze([]);

/** The shared empty list, or the list itself. */
export const sharedList = <Item>(list: readonly Item[]): readonly Item[] => (list.length === 0 ? empty : list);

/** The same value with shared parts. */
export function compactValue(value: ItemValue): ItemValue {
  return value.kind === "function" ? compactFunction(value) : value;
}

function compactFunction(value: FunctionValue): FunctionValue {
  return {
    ...value,
    kind: "function",
    module: oneCopyOf(value.module),
    params: sharedList(value.params.map(([id, name, type]) => [id, oneCopyOf(name), oneCopyOf(type)] as const)),
    result: oneCopyOf(value.result),
    requires: sharedList(value.requires),
    ensures: sharedList(value.ensures),
    calls: sharedList(value.calls),
    types: sharedList(value.types),
  };
}
