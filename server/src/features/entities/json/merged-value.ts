import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { ValueSize } from "../size.ts";
import { mergePatch } from "./merge-patch.ts";
import { sizeAfterMerge } from "./size-after-merge.ts";

/** A value and its exact size. */
interface SizedValue {
  readonly value: Json;
  readonly size: ValueSize;
}

interface Merge {
  readonly before: SizedValue;
  readonly patch: JsonObject;
  readonly merged: SizedValue;
}

/**
 * A memo of the last merge: a decision computes it, and the fold of its event repeats it. It affects speed only, so the
 * machine stays pure.
 */
let last: Merge | undefined;

/** The value and its size after a merge patch. A patch without effect returns the same value. */
export function mergedValue(before: SizedValue, patch: JsonObject): SizedValue {
  if (last?.before === before && last.patch === patch) return last.merged;
  const value = mergePatch(before.value, patch);
  const size = value === before.value ? before.size : sizeAfterMerge(before.size, before.value, patch);
  const merged = { value, size };
  last = { before, patch, merged };
  return merged;
}
