import { closestWord } from "@holdfast/sdk/base/closest-word";
import { packs, publicOperations } from "@holdfast/sdk/contract";
import type { OperationName } from "@holdfast/sdk/contract";
import type { Json } from "@holdfast/sdk/json/json";
import type { Command, Terminal } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { escapeControlCharsByLine } from "../terminal/escape-control-chars.ts";
import { readJsonArgument } from "../args/read-json-argument.ts";
import { textOption } from "../args/option-values.ts";
import { localOption, serverCommand } from "../discovery/server-command.ts";
import { table } from "../terminal/table.ts";

const offeredOperations = [...publicOperations, ...packs.flatMap(({ operations }) => Object.values(operations))];
const names = offeredOperations.map(({ name }) => name);

export const runOperationCommand: Command = serverCommand({
  name: "run",
  usage: "OPERATION [INPUT]",
  positionalsMax: 2,
  summary: "run any operation of the contract",
  details: [
    "Runs any operation by its name, with INPUT as JSON, as @FILE, or - for standard input; {} if it is not given. What it",
    "answers is printed as JSON. --list names all of them. Kinds bring operations of their own, which run the same way.",
    "",
    `  holdfast run acquire-lock '{"paths": ["a"], "owner_id": "ann", "ttl_seconds": 60}'`,
    "  holdfast run list-locks",
    `  holdfast run configure '{"settings": {"state_bytes_max": 2147483648}}' --operator`,
  ],
  options: {
    key: { value: "KEY", summary: "send it once: the same key again returns the first answer and runs nothing" },
    operator: { summary: "send the operator's token, from the data folder" },
    list: { summary: "name all operations, with what they do" },
    ...localOption,
  },
  operations: names as readonly OperationName[],
  isForOperators: ({ values }) => values["operator"] === true,
  async execute({ client, positionals, values, terminal, isJson, show }) {
    const [name] = positionals;
    if (values["list"] === true) {
      const all = offeredOperations.map(({ name: each, kind, summary }) => ({ name: each, kind, summary }));
      return show(all, () =>
        table(["OPERATION", "KIND", "WHAT IT DOES"], all.map(Object.values<string>), terminal.paint),
      );
    }
    if (name === undefined) throw new UsageError("which OPERATION? `holdfast run --list` names them all");
    refuseMisspelt(name);
    const input = positionals.length === 1 ? {} : await readInput(name, positionals[1], terminal);
    const key = textOption(values, "key");
    const data = await client.run(name, input, key === undefined ? {} : { key });
    terminal.print(isJson ? JSON.stringify(data) : escapeControlCharsByLine(JSON.stringify(data, undefined, 2)));
    return exitCodes.done;
  },
});

function readInput(operation: string, word: string | undefined, terminal: Terminal): Promise<Json> {
  return readJsonArgument(word, { name: "INPUT", operation, pointerOf: () => "" }, terminal);
}

/** A kind's own operation has a dot or a name that nobody here knows; what is nearly one of ours was meant to be. */
function refuseMisspelt(name: string): void {
  if (names.includes(name) || name.includes(".")) return;
  const closest = closestWord(name, names);
  if (closest !== undefined) throw new UsageError(`there is no operation ${name}; did you mean ${closest}?`);
}
