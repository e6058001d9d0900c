import { inputLimits } from "@holdfast/sdk/json/input-limits";
import { measure } from "@holdfast/sdk/json/measure";
import type { Size } from "@holdfast/sdk/json/measure";
import type { Decision } from "../../machine/feature.ts";
import type { Json } from "@holdfast/sdk/json/json";
import { refusal } from "../../machine/outcome.ts";

export type ValueSize = Pick<Size, "bytes" | "members">;

/** How large an entity may become. It is what a command may carry, so that every entity can be replaced as a whole. */
export const entityLimits = inputLimits;

/** For what is in the history: it was within the limits when it was decided, and must not fail if they change. */
export const noLimits = {
  bytesMax: Infinity,
  depthMax: Infinity,
  membersMax: Infinity,
  nameLengthMax: Infinity,
  workMax: Infinity,
};

export function tooLarge(limit: string): Decision {
  return { outcome: refusal("value_too_large", { limit }), events: [] };
}

export function sizeOf(value: Json): ValueSize {
  const measured = measure(value, noLimits);
  if (!measured.ok) throw new Error("nothing exceeds no limits");
  return { bytes: measured.size.bytes, members: measured.size.members };
}

export function isTooLarge(size: ValueSize): boolean {
  return size.bytes > entityLimits.bytesMax || size.members > entityLimits.membersMax;
}
