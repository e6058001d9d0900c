import { isObject } from "@holdfast/sdk/json/json";
import type { Json } from "@holdfast/sdk/json/json";
import { failStep } from "./step-context.ts";

const isText = (value: Json | undefined): boolean => typeof value === "string";

const isAttribute = (value: Json): boolean =>
  value === null || isText(value) || (Array.isArray(value) && (value as readonly Json[]).every(isText));

/** Fails the step unless a value is a node: the schema of an operation cannot describe nested nodes. */
export function checkNode(value: Json): void {
  if (typeof value === "number" && Number.isSafeInteger(value)) return;
  if (!isObject(value) || !isText(value["op"])) failStep("graph.dangling", "A node needs an op, or is the id of a value");
  const { attributes = [], inputs = [], regions = {}, note = "" } = value;
  if (!Array.isArray(attributes) || !(attributes as readonly Json[]).every(isAttribute))
    failStep("graph.dangling", "attributes must be a list of texts");
  if (!Array.isArray(inputs)) failStep("graph.dangling", "inputs must be a list");
  if (!isObject(regions)) failStep("graph.dangling", "regions must be an object");
  if (!isText(note)) failStep("graph.dangling", "note must be a text");
  for (const input of inputs as readonly Json[]) checkNode(input);
  for (const region of Object.values(regions)) {
    if (!Array.isArray(region)) failStep("graph.dangling", "A region must be a list");
    for (const item of region as readonly Json[]) checkNode(item);
  }
}
