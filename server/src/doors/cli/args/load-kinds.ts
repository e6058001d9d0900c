import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { trustFault } from "../../../base/trust-fault.ts";
import type { Kind } from "../../../assembly/data-folder.ts";
import type { CommandOption, CommandArguments, Terminal } from "../command.ts";
import { UsageError } from "./usage-error.ts";
import { textOption } from "./option-values.ts";

export const kindsOption: CommandOption = {
  value: "FILE",
  summary: "a module that exports the kinds (defineKind) of the entities in the journal",
};

/** The kinds that a module exports, as single values or in arrays. */
export async function loadKinds({ values }: CommandArguments, terminal: Terminal): Promise<readonly Kind[]> {
  const file = textOption(values, "kinds");
  if (file === undefined) return [];
  const path = resolve(terminal.folder, file);
  // The module runs with the rights of this user.
  const fault = trustFault(path);
  if (fault !== undefined) throw new UsageError(`the module of --kinds, ${fault}`);
  const exported = await importModule(path);
  const kinds = Object.values(exported).flat().filter(isKind);
  if (kinds.length === 0) throw new UsageError(`${file} exports no kind; export the result of defineKind`);
  return kinds;
}

async function importModule(file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(`cannot load ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function isKind(value: unknown): value is Kind {
  return typeof value === "object" && value !== null && "type" in value && "check" in value && "commands" in value;
}
