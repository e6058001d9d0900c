import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import { defined } from "@holdfast/sdk/base/defined";
import { numberOption } from "../args/option-values.ts";
import { UsageError } from "../args/usage-error.ts";
import type { CliCommand } from "../command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { limitDefault, limitOption, moreItemsHint, readPages } from "../discovery/read-pages.ts";
import { localOption, serverCommand } from "../discovery/server-command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import { AgentNames } from "../terminal/agent-names.ts";
import { escapeControlChars, escapeControlCharsByLine } from "../terminal/escape-control-chars.ts";
import { table } from "../terminal/table.ts";
import { functionArgument, programArgument, programCall, programOperations } from "./program-calls.ts";
import type { ProgramReply, ProgramTarget } from "./program-calls.ts";

export const programShowCommand: CliCommand = serverCommand({
  name: "program show",
  usage: "PROGRAM[/FUNCTION]…",
  positionalsMin: 1,
  positionalsMax: 100,
  summary: "show a program with its functions, or the text of functions and types",
  details: [
    "With PROGRAM alone it lists modules, types and functions, with the agents that hold their locks. With ids it prints",
    "texts. Above each text is a line with the id and the version, by which `holdfast program apply` finds conflicts.",
    "",
    "  holdfast program show ledger",
    "  holdfast program show ledger/f1 ledger/f2 > work.txt",
    "  holdfast program show ledger/f1 --at 1042",
  ],
  options: {
    version: { value: "V", summary: "the text of this version of the function" },
    at: { value: "POSITION", summary: "the text of the function after this position of the journal" },
    ids: { summary: "print the id of every node behind it" },
    limit: limitOption,
    ...localOption,
  },
  operations: programOperations("programs.get", "programs.list-functions", "programs.get-function"),
  async execute(context) {
    const targets = context.positionals.map((text) => programArgument(text));
    const [first, ...others] = targets;
    if (first !== undefined && first.item === undefined) {
      if (others.length > 0) throw new UsageError("name one program, or ids of functions and types");
      return showProgram(context, first.program);
    }
    const shown = [];
    for (const text of context.positionals) shown.push(await readItem(context, functionArgument(text)));
    const texts = shown.map(({ id, version, text = "" }) => `@id("${id}") @version(${version})\n${text.trimEnd()}`);
    const data = shown.map(({ id: _id, ...reply }) => reply);
    return context.show(data.length === 1 ? data[0] : data, () => escapeControlCharsByLine(texts.join("\n\n")));
  },
});

interface ShownItem {
  readonly id: string;
  readonly version: number;
  readonly text?: string;
}

async function readItem(context: CommandContext, { program, item }: Required<ProgramTarget>): Promise<ShownItem> {
  const { values } = context;
  const program_id = program;
  const at = defined({ version: numberOption(values, "version", 1), position: numberOption(values, "at", 0) });
  const ids = values["ids"] === true;
  try {
    const input = { program_id, function_id: item, ids, ...at };
    return { id: item, ...(await programCall(context, "programs.get-function", input)) };
  } catch (error) {
    const isMissing = error instanceof HoldfastError && error.code === "programs.not_found";
    if (!isMissing || Object.keys(at).length > 0) throw error;
    const found = await programCall(context, "programs.get-type", { program_id, type_id: item }).catch(() => undefined);
    if (found === undefined) throw error;
    return { id: item, ...found };
  }
}

async function showProgram(context: CommandContext, program_id: string): Promise<ExitCode> {
  const { values, show } = context;
  const shown = await programCall(context, "programs.get", { program_id });
  const limit = numberOption(values, "limit", 1) ?? limitDefault;
  const functions = await readPages(limit, (part) =>
    programCall(context, "programs.list-functions", { program_id, ...part }),
  );
  const types = await readPages(limit, (part) => programCall(context, "programs.list-types", { program_id, ...part }));
  const names = new AgentNames(context);
  await names.load(functions.items.flatMap(({ holders }) => holders.map(({ owner_id: id }) => id)));
  const data = { ...shown, types: types.items, functions: functions.items, next: functions.next };
  return show(data, () => programText(context, { shown, functions, types, names }));
}

interface PageOf<Reply extends { readonly items: readonly unknown[] }> {
  readonly items: readonly Reply["items"][number][];
  readonly next: string | null;
}

interface ProgramParts {
  readonly shown: ProgramReply<"programs.get">;
  readonly functions: PageOf<ProgramReply<"programs.list-functions">>;
  readonly types: PageOf<ProgramReply<"programs.list-types">>;
  readonly names: AgentNames;
}

function programText({ terminal }: CommandContext, { shown, functions, types, names }: ProgramParts): string {
  const { paint } = terminal;
  const { program_id: id, name, version, counts, modules } = shown;
  const rows = functions.items.map(
    ({ function_id: functionId, module_id, signature, version: of, callers, holders }) => [
      ...[paint.strong(functionId), module_id, String(of), String(callers), escapeControlChars(signature)],
      holders.map(({ owner_id: owner, mode }) => `${names.label(owner)} ${mode}`).join(", "),
    ],
  );
  const headings = ["FUNCTION", "MODULE", "VERSION", "CALLERS", "SIGNATURE", "LOCKED BY"];
  return [
    `${paint.strong(id)}: ${escapeControlChars(name)}, version ${version}, ${counts.functions} functions, ` +
      `${counts.types} types, ${counts.nodes} nodes.`,
    ...modules.map(({ module_id: module, name: called }) => `module ${module}: ${escapeControlChars(called)}`),
    ...types.items.map(({ type_id: type, name: called, version: of }) => `type ${type}: ${called}, version ${of}`),
    ...(rows.length === 0 ? [] : ["", table(headings, rows, paint) + moreItemsHint(functions.next)]),
  ].join("\n");
}
