import { definitionIn } from "./check/types.ts";
import { graphOf } from "./pack.ts";
import { printFunction, printTypeDefinition } from "./print-functions.ts";
import type { ProgramScope } from "./program-scope.ts";
import { mainModule } from "./function-value.ts";

/** Maximum characters of one page. */
const pageMax = 524_288;

interface ExportPage {
  readonly text: string;
  /** The item after which the next page begins. Null on the last page. */
  readonly next: string | null;
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Modules with their parents first, then types, then functions, each sorted by id. */
function orderedItems(scope: ProgramScope): readonly string[] {
  const depth = (id: string): number => {
    const parent = scope.module(id)?.parent ?? null;
    return parent === null ? 0 : 1 + depth(parent);
  };
  const modules = [...scope.moduleIds()].filter((id) => id !== mainModule);
  return [
    ...modules.sort((a, b) => depth(a) - depth(b) || byText(a, b)).map((id) => `module/${id}`),
    ...[...scope.typeIds()].sort(byText).map((id) => `type/${id}`),
    ...[...scope.functionIds()].sort(byText).map((id) => `function/${id}`),
  ];
}

function itemText(scope: ProgramScope, item: string): string {
  const id = item.slice(item.indexOf("/") + 1);
  const module = scope.module(id);
  if (item.startsWith("module/")) {
    const parent = module?.parent === null || module === undefined ? "" : ` in ${module.parent}`;
    return `@id("${id}") module ${module?.name ?? ""}${parent}\n`;
  }
  const head = (home: string): string => `@id("${id}")${home === mainModule ? "" : ` in ${home}`}\n`;
  const definition = item.startsWith("type/") ? definitionIn(scope, id) : undefined;
  if (definition !== undefined)
    return `${head(definition.module)}${printTypeDefinition(definition, { names: scope.names, module: definition.module }).text}`;
  const value = scope.function(id);
  if (value === undefined) return "";
  return `${head(value.module)}${printFunction(graphOf(value), { names: scope.names, module: value.module, withIds: true }).text}`;
}

/** The text of a program from an item on. Importing all pages gives the same ids, hashes and texts. */
export function exportText(scope: ProgramScope, after: string | null = null): ExportPage {
  const items = orderedItems(scope);
  const start = after === null ? 0 : items.indexOf(after) + 1;
  let text = "";
  for (const [index, item] of items.slice(start).entries()) {
    const part = itemText(scope, item);
    if (text !== "" && text.length + part.length + 1 > pageMax) return { text, next: items[start + index - 1] ?? null };
    text += text === "" ? part : `\n${part}`;
  }
  return { text, next: null };
}
