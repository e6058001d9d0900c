import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import type { InputFault } from "@holdfast/sdk/json/input-fault";
import { inputLimits } from "@holdfast/sdk/json/input-limits";
import type { Json } from "@holdfast/sdk/json/json";
import { parseJson } from "@holdfast/sdk/json/parse-json";
import type { Terminal } from "../command.ts";
import { UsageError } from "./usage-error.ts";

export interface JsonArgument {
  /** Its name in the usage line. */
  readonly name: string;
  /** The operation whose input contains it. */
  readonly operation: string;
  /** The JSON Pointer of the argument in that input. */
  readonly pointerOf: (text: string) => string;
}

const syntaxReasons: readonly InputFault["reason"][] = ["syntax", "byte_order_mark", "trailing_text"];

/**
 * Reads a JSON argument: the text itself, `@FILE`, or standard input for `-` and for a missing argument. Text that is not
 * JSON is a usage error. JSON that the server would refuse, such as a duplicate name, is refused with the same problem.
 */
export async function readJsonArgument(
  argument: string | undefined,
  { name, operation, pointerOf }: JsonArgument,
  terminal: Terminal,
): Promise<Json> {
  const text = await textOf(argument, terminal);
  const parsed = parseJson(text, inputLimits);
  if (parsed.ok) return parsed.value;
  const { reason, line, column } = parsed.fault;
  if (syntaxReasons.includes(reason)) {
    const hint = /^[\w .-]+$/u.test(text) ? `; quote a string: '"${text}"'` : "";
    throw new UsageError(`${name} is not JSON (${reason} at line ${String(line)}, column ${String(column)})${hint}`);
  }
  const pointer = reason === "too_large" ? "" : pointerOf(text) + parsed.fault.pointer;
  throw new HoldfastError(operation, "input_malformed", { data: { reason, pointer } });
}

async function textOf(argument: string | undefined, { folder, readInput }: Terminal): Promise<string> {
  if (argument === undefined || argument === "-") return readInput();
  if (!argument.startsWith("@")) return argument;
  const file = resolve(folder, argument.slice(1));
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`cannot read ${file} (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
}
