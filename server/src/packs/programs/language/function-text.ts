import { graphOf } from "./pack.ts";
import type { PrintOptions } from "./print-expressions.ts";
import { printFunction } from "./print-functions.ts";
import type { FunctionValue } from "./program-values.ts";

/** The canonical text of a stored function. */
export function functionText(value: FunctionValue, options: PrintOptions): string {
  return printFunction(graphOf(value), options).text;
}
