import { graphOf } from "./pack.ts";
import type { PrintOptions } from "./expression-printer.ts";
import { printFunction } from "./print-functions.ts";
import type { FunctionValue } from "./function-value.ts";

/** The canonical text of a stored function. */
export function functionText(value: FunctionValue, options: PrintOptions): string {
  return printFunction(graphOf(value), options).text;
}
