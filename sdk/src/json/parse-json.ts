import type { InputResult } from "./input-fault.ts";
import type { InputLimits } from "./input-limits.ts";
import { parseNatively } from "./parse-natively.ts";
import { scanJson } from "./scan-json.ts";

/**
 * Parses JSON text into a canonical value, or returns the first fault and its place. The time is linear in the length of
 * the text, and the stack does not grow with it.
 */
export function parseJson(text: string, limits: InputLimits): InputResult {
  const value = parseNatively(text, limits);
  return value === undefined ? scanJson(text, limits) : { ok: true, value };
}
