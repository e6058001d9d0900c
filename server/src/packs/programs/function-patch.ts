import { sameJson } from "@holdfast/sdk/json/same-json";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { FunctionValue } from "./language/function-value.ts";

interface PatchStep {
  readonly op: "add" | "replace" | "remove";
  readonly path: string;
  readonly value?: Json;
}

/** The JSON Patch from one version of a function to the next: changed members, and changed statements of the body. */
export function functionPatch(before: FunctionValue, after: FunctionValue): readonly PatchStep[] {
  const { body: bodyBefore, ...membersBefore } = before as unknown as JsonObject & FunctionValue;
  const { body: bodyAfter, ...membersAfter } = after as unknown as JsonObject & FunctionValue;
  return [...memberSteps(membersBefore, membersAfter), ...bodySteps(bodyBefore, bodyAfter)];
}

function memberSteps(before: JsonObject, after: JsonObject): readonly PatchStep[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name): readonly PatchStep[] => {
    const [old, value] = [before[name], after[name]];
    if (value === undefined) return [{ op: "remove", path: `/${name}` }];
    if (old === undefined) return [{ op: "add", path: `/${name}`, value }];
    return sameJson(old, value) ? [] : [{ op: "replace", path: `/${name}`, value }];
  });
}

/** Statements at the start and at the end that are equal stay. */
function bodySteps(before: readonly string[], after: readonly string[]): readonly PatchStep[] {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  return [
    ...removed.map((): PatchStep => ({ op: "remove", path: `/body/${String(start)}` })),
    ...added.map((value, index): PatchStep => ({ op: "add", path: `/body/${String(start + index)}`, value })),
  ];
}
