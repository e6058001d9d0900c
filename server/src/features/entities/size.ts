import { inputLimits } from "@holdfast/sdk/json/input-limits";
import { measure } from "@holdfast/sdk/json/measure";
import type { Size } from "@holdfast/sdk/json/measure";
import type { Decision } from "../../machine/feature.ts";
import type { Json } from "@holdfast/sdk/json/json";
import { refusal } from "../../machine/refusal.ts";

export type ValueSize = Pick<Size, "bytes" | "members">;

/** The maximum size of an entity. It equals the limit of a command, so every entity can be replaced as a whole. */
export const entityLimits = inputLimits;

/** For values from history: they met the limits when they were decided, and must not fail after limits change. */
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
  if (!measured.ok) throw new Error("unreachable: measured without limits");
  return { bytes: measured.size.bytes, members: measured.size.members };
}

export function isTooLarge(size: ValueSize): boolean {
  return size.bytes > entityLimits.bytesMax || size.members > entityLimits.membersMax;
}
