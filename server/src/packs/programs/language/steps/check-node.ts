import { isObject } from "@holdfast/sdk/json/json";
import type { Json } from "@holdfast/sdk/json/json";
import { failProgramStep } from "./step-context.ts";

const isText = (value: Json | undefined): boolean => typeof value === "string";

const isListOf = (value: Json, isItem: (item: Json) => boolean): boolean =>
  Array.isArray(value) && (value as readonly Json[]).every(isItem);

const isAttribute = (value: Json): boolean => value === null || isText(value) || isListOf(value, isText);

const isRegions = (value: Json): boolean =>
  isObject(value) && Object.values(value).every((region) => isListOf(region, isNode));

/** True for a node, or for the id of a value. */
function isNode(value: Json): boolean {
  if (typeof value === "number") return Number.isSafeInteger(value);
  if (!isObject(value)) return false;
  const { op, attributes = [], inputs = [], regions = {}, note = "" } = value;
  return (
    isText(op) && isListOf(attributes, isAttribute) && isListOf(inputs, isNode) && isRegions(regions) && isText(note)
  );
}

/** Fails the step unless a value is a node: the schema of an operation cannot describe nested nodes. */
export function checkNode(value: Json): void {
  if (!isNode(value)) failProgramStep("graph.dangling", "node must be {op, attributes?, inputs?, regions?, note?}");
}
