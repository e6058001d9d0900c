import type { CanonicalObject } from "@holdfast/sdk/json/canonical";
import { canonicalValue } from "@holdfast/sdk/json/canonical-value";
import { inputLimits } from "@holdfast/sdk/json/input-limits";
import { HttpProblem } from "../response/http-problem.ts";

/** Checks members that do not come from the text of a body: parameters of the URL, and inputs that a route builds. */
export function canonicalInput(members: Readonly<Record<string, unknown>>): CanonicalObject {
  const canonical = canonicalValue(members, inputLimits);
  if (!canonical.ok) throw new HttpProblem("input_malformed", { ...canonical.fault });
  return canonical.value as CanonicalObject;
}
