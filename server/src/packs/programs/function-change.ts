/** The difference between two versions of a function: its changed members, and one replaced range of statements. */
import { defined } from "@holdfast/sdk/base/defined";
import { sameJson } from "@holdfast/sdk/json/same-json";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { FunctionValue } from "./language/function-value.ts";

export interface FunctionChange {
  /** The members that changed, apart from the body. Null: the member is removed. */
  readonly members: JsonObject;
  /** The first changed statement, the number of replaced statements, and the new ones. */
  readonly body?: readonly [at: number, removed: number, ...added: string[]];
}

export function functionChange(before: FunctionValue, after: FunctionValue): FunctionChange {
  const { body: bodyBefore, ...old } = before as unknown as JsonObject & FunctionValue;
  const { body: bodyAfter, ...fresh } = after as unknown as JsonObject & FunctionValue;
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
  const members = names.flatMap((name): readonly (readonly [string, Json])[] => {
    const [was, is] = [old[name] ?? null, (fresh as JsonObject)[name] ?? null];
    return sameJson(was, is) ? [] : [[name, is]];
  });
  const body = bodyChange(bodyBefore, bodyAfter);
  return { members: Object.fromEntries(members), ...defined({ body }) };
}

/** Statements at the start and at the end that are equal stay. */
function bodyChange(before: readonly string[], after: readonly string[]): FunctionChange["body"] {
  let at = 0;
  const shorter = Math.min(before.length, after.length);
  while (at < shorter && before[at] === after[at]) at += 1;
  let end = 0;
  while (end < shorter - at && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const removed = before.length - end - at;
  const added = after.slice(at, after.length - end);
  return removed + added.length === 0 ? undefined : [at, removed, ...added];
}

/** The next version of a function. The change must have been made from this one. */
export function changedFunction(before: FunctionValue, { members, body }: FunctionChange): FunctionValue {
  const { body: statements, ...kept } = before;
  const all = Object.entries<unknown>({ ...kept, ...members }).filter(([, member]) => member !== null);
  const [at, removed, ...added] = body ?? [0, 0];
  return { ...(Object.fromEntries(all) as typeof kept), body: statements.toSpliced(at, removed, ...added) };
}

interface PatchStep {
  readonly op: "add" | "replace" | "remove";
  readonly path: string;
  readonly value?: Json;
}

/** The change as a JSON Patch of the function before it. */
export function patchOf(before: FunctionValue, { members, body }: FunctionChange): readonly PatchStep[] {
  const steps = Object.entries(members).map(([name, value]): PatchStep => {
    if (value === null) return { op: "remove", path: `/${name}` };
    return { op: name in before ? "replace" : "add", path: `/${name}`, value };
  });
  const [at, removed, ...added] = body ?? [0, 0];
  const replaced = Math.min(removed, added.length);
  const statements = added.map((value, index): PatchStep => ({
    op: index < replaced ? "replace" : "add",
    path: `/body/${String(at + index)}`,
    value,
  }));
  const surplus = Array.from({ length: removed - replaced }, (): PatchStep => {
    return { op: "remove", path: `/body/${String(at + replaced)}` };
  });
  return [...steps, ...statements, ...surplus];
}
