/** The steps of a text file, with the hashes of the versions that its author has read. */
import { defined } from "@holdfast/sdk/base/defined";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import type { MutationStep } from "@holdfast/sdk/contract";
import { textOption } from "../args/option-values.ts";
import { UsageError } from "../args/usage-error.ts";
import type { CommandOption, Terminal } from "../command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { programArgument, programCall } from "./program-calls.ts";
import { textItems } from "./text-items.ts";
import type { TextItem } from "./text-items.ts";

export const moduleOption: CommandOption = {
  value: "MODULE",
  summary: "the id of the module of new items, and of items that are found by name (default: m0)",
};

export interface TextChange {
  readonly program: string;
  readonly mutations: MutationStep[];
  readonly expectedHashes: Record<string, string>;
  readonly file: string;
  /** The items of the file, by step. */
  readonly items: readonly TextItem[];
}

/** Reads a file, or standard input for `-` and for a missing argument. */
export async function readTextArgument(argument: string | undefined, terminal: Terminal): Promise<string> {
  if (argument === undefined || argument === "-") return terminal.readInput();
  const file = resolve(terminal.folder, argument);
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`cannot read ${file} (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
}

/** The change of `PROGRAM[/FUNCTION] [FILE]`. */
export async function textChange(context: CommandContext): Promise<TextChange> {
  const [target, argument] = context.positionals;
  const { program, item } = programArgument(target);
  const text = await readTextArgument(argument, context.terminal);
  const file = argument === undefined || argument === "-" ? "standard input" : argument;
  const found = textItems(text, file);
  if (item !== undefined && found.length > 1)
    throw new UsageError(`${file} has ${found.length} items; name the program alone to apply all of them`);
  const items = found.map((each) => (item === undefined ? each : { ...each, id: item }));
  const change: TextChange = { program, mutations: [], expectedHashes: {}, file, items };
  for (const each of items) await addItem(context, change, each);
  return change;
}

interface KnownItem {
  readonly id: string;
  readonly hash: string;
  readonly version: number;
}

async function addItem(context: CommandContext, change: TextChange, item: TextItem): Promise<void> {
  const { program, mutations, expectedHashes } = change;
  const module_id = textOption(context.values, "module") ?? "m0";
  const known = await findItem(context, program, item, module_id);
  const isFunction = item.kind === "function";
  if (known === undefined) {
    const { id, text } = item;
    mutations.push(
      isFunction
        ? { type: "add_function", text, module_id, ...defined({ function_id: id }) }
        : { type: "add_type", text, module_id, ...defined({ type_id: id }) },
    );
    return;
  }
  const { id } = known;
  expectedHashes[id] = await readHash(context, program, { item, known });
  mutations.push(
    isFunction
      ? { type: "set_function", function_id: id, text: item.text }
      : { type: "set_type", type_id: id, text: item.text },
  );
}

/** The item by its id or, without an id, by its name in a module. */
async function findItem(
  context: CommandContext,
  program: string,
  { kind, id, name }: TextItem,
  module: string,
): Promise<KnownItem | undefined> {
  const program_id = program;
  if (kind === "type") {
    const { items } = await programCall(context, "programs.list-types", { program_id, limit: 1_000 });
    const found = items.find((each) =>
      id === undefined ? each.name === name && each.module_id === module : each.type_id === id,
    );
    return found === undefined ? undefined : { ...found, id: found.type_id };
  }
  if (id !== undefined) {
    try {
      return { id, ...(await programCall(context, "programs.get-function", { program_id, function_id: id })) };
    } catch (error) {
      if (isMissing(error, "function")) return undefined;
      throw error;
    }
  }
  const query = { program_id, module_id: module, name, limit: 1_000 };
  const { items } = await programCall(context, "programs.list-functions", query);
  const found = items.find((each) => each.name === name);
  return found === undefined ? undefined : { ...found, id: found.function_id };
}

function isMissing(error: unknown, kind: string): boolean {
  return error instanceof HoldfastError && error.code === "programs.not_found" && error.data["kind"] === kind;
}

/** The hash of the version that the author of the text has read. */
async function readHash(
  context: CommandContext,
  program: string,
  { item, known }: { readonly item: TextItem; readonly known: KnownItem },
): Promise<string> {
  const { version } = item;
  const { id } = known;
  if (context.values["blind"] === true || version === known.version) return known.hash;
  const show = `holdfast program show ${program}/${id}`;
  if (version === undefined)
    throw new UsageError(
      `${item.name} (${id}) exists, at version ${known.version}: start from the output of \`${show}\`, which has the ` +
        "version above the text, or overwrite any version with --blind",
    );
  if (item.kind === "type")
    throw new UsageError(
      `${item.name} (${id}) is at version ${known.version}, not ${version}: read it with \`${show}\``,
    );
  return (await programCall(context, "programs.get-function", { program_id: program, function_id: id, version })).hash;
}
