/**
 * Values as they are kept in memory. A value from the thread has its own copies of short words and of empty lists. A
 * program with 100,000 functions repeats them in each, so equal ones are shared.
 */
import type { FunctionValue } from "./language/function-value.ts";
import type { ItemValue } from "./program-value.ts";

/** Maximum words that are shared. A full set is emptied: later values share new words. */
const wordsMax = 10_000;

const words = new Map<string, string>();

/** The shared copy of a word. */
export function sharedWord(word: string): string {
  const known = words.get(word);
  if (known !== undefined) return known;
  if (words.size >= wordsMax) words.clear();
  words.set(word, word);
  return word;
}

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
    module: sharedWord(value.module),
    params: sharedList(value.params.map(([id, name, type]) => [id, sharedWord(name), sharedWord(type)] as const)),
    result: sharedWord(value.result),
    requires: sharedList(value.requires),
    ensures: sharedList(value.ensures),
    calls: sharedList(value.calls),
    types: sharedList(value.types),
  };
}
