import { defined } from "@holdfast/sdk/base/defined";
import { closestWord } from "@holdfast/sdk/base/closest-word";
import { operationList } from "@holdfast/sdk/data/operation-list";
import type { OperationName } from "@holdfast/sdk/contract";
import type { Json } from "@holdfast/sdk/json/json";
import type { CliCommand, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { escapeControlCharsByLine } from "../terminal/escape-control-chars.ts";
import { readJsonArgument } from "../args/read-json-argument.ts";
import { textOption } from "../args/option-values.ts";
import { localOption, serverCommand } from "../discovery/server-command.ts";
import { table } from "../terminal/table.ts";

const names: readonly string[] = operationList.map(({ name }) => name);

export const runOperationCommand: CliCommand = serverCommand({
  name: "run",
  usage: "OPERATION [INPUT]",
  positionalsMax: 2,
  summary: "run any operation of the contract",
  details: [
    "Runs any operation by its name. INPUT is JSON, @FILE, or - for standard input; the default is {}. The reply is printed",
    "as JSON. --list shows all operations of the contract. Operations of kinds run the same way.",
    "",
    `  holdfast run acquire-lock '{"paths": ["a"], "owner_id": "ann", "ttl_seconds": 60}'`,
    "  holdfast run list-locks",
    `  holdfast run configure '{"settings": {"state_bytes_max": 2147483648}}' --operator`,
  ],
  options: {
    key: { value: "KEY", summary: "the idempotency key: a repeated key returns the first reply and changes nothing" },
    operator: { summary: "send the operator's token from the data folder" },
    list: { summary: "list all operations with a summary" },
    ...localOption,
  },
  operations: names as readonly OperationName[],
  isForOperators: ({ values }) => values["operator"] === true,
  async execute({ run, positionals, values, terminal, isJson, show }) {
    const [name] = positionals;
    if (values["list"] === true) {
      const rows = operationList.map(Object.values<string>);
      return show(operationList, () => table(["OPERATION", "KIND", "SUMMARY"], rows, terminal.paint));
    }
    if (name === undefined) throw new UsageError("OPERATION is required; `holdfast run --list` lists all operations");
    rejectMisspelled(name);
    const input = positionals.length === 1 ? {} : await readInput(name, positionals[1], terminal);
    const key = textOption(values, "key");
    const data = await run(name, input, defined({ key }));
    terminal.print(isJson ? JSON.stringify(data) : escapeControlCharsByLine(JSON.stringify(data, undefined, 2)));
    return exitCodes.done;
  },
});

function readInput(operation: string, argument: string | undefined, terminal: Terminal): Promise<Json> {
  return readJsonArgument(argument, { name: "INPUT", operation, pointerOf: () => "" }, terminal);
}

/** Rejects a name that is close to an operation of the contract. Other unknown names may be operations of kinds. */
function rejectMisspelled(name: string): void {
  if (names.includes(name) || name.includes(".")) return;
  const closest = closestWord(name, names);
  if (closest !== undefined) throw new UsageError(`unknown operation ${name}; did you mean ${closest}?`);
}
