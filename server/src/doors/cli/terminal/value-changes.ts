import { formatPointer } from "@holdfast/sdk/json/format-pointer";
import { isObject } from "@holdfast/sdk/json/json";
import type { Json } from "@holdfast/sdk/json/json";
import { sameJson } from "@holdfast/sdk/json/same-json";
import { escapeControlChars } from "./escape-control-chars.ts";
import { truncateToWidth } from "./table.ts";

/** Maximum lines of a difference. */
const linesMax = 20;
/** Maximum columns of a value. */
const valueWidthMax = 60;

/** The difference between two values, one line per pointer: `/status: "draft" becomes "done"`. */
export function valueChanges(before: Json, after: Json): readonly string[] {
  const lines = [...changesBetween(before, after, [])];
  const more = lines.length - linesMax;
  return more > 0 ? [...lines.slice(0, linesMax), `(${more} more changes)`] : lines;
}

function* changesBetween(
  before: Json | undefined,
  after: Json | undefined,
  path: readonly string[],
): Generator<string> {
  if (before !== undefined && after !== undefined && sameJson(before, after)) return;
  if (isObject(before) && isObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      yield* changesBetween(ownMember(before, name), ownMember(after, name), [...path, name]);
    return;
  }
  const pointer = escapeControlChars(formatPointer(path)) || "the value";
  if (after === undefined) yield `${pointer}: ${shown(before)} is removed`;
  else if (before === undefined) yield `${pointer}: ${shown(after)} is added`;
  else yield `${pointer}: ${shown(before)} becomes ${shown(after)}`;
}

function ownMember(object: Readonly<Record<string, Json>>, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function shown(value: Json | undefined): string {
  return truncateToWidth(escapeControlChars(value === undefined ? "" : JSON.stringify(value)), valueWidthMax);
}
