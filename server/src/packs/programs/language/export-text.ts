import { functionPath, typePath, usesOf } from "./check/closures.ts";
import { definitionIn } from "./check/types.ts";
import { ItemComponents } from "./item-components.ts";
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

/**
 * The items in the order of their pages. Items that reach each other are together. Every other item comes after the
 * items that it needs. An import checks each page before the pages after it exist.
 */
function orderedItems(scope: ProgramScope): readonly (readonly string[])[] {
  const depth = (id: string): number => {
    const parent = scope.module(id)?.parent ?? null;
    return parent === null ? 0 : 1 + depth(parent);
  };
  const modules = [...scope.moduleIds()].filter((id) => id !== mainModule);
  const ordered = modules.sort((a, b) => depth(a) - depth(b) || byText(a, b)).map((id) => [`module/${id}`]);
  const components = new ItemComponents({
    uses: (path) => usesOf(scope, path).toSorted(),
    close: (members) => ordered.push([...members]),
  });
  for (const id of [...scope.typeIds()].sort(byText)) components.visit(typePath(id));
  for (const id of [...scope.functionIds()].sort(byText)) components.visit(functionPath(id));
  return ordered;
}

const kinds = ["module/", "type/", "function/"];

/** Modules as they are, then types, then functions, each sorted by id. */
function inPageOrder(items: readonly string[]): readonly string[] {
  return kinds.flatMap((kind) => {
    const some = items.filter((item) => item.startsWith(kind));
    return kind === "module/" ? some : some.sort(byText);
  });
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

/**
 * The text of a program from an item on. Importing all pages in their order gives the same ids, hashes and texts.
 * Undefined if the program lacks the item. Items that reach each other are never on two pages, however long they are.
 */
export function exportText(scope: ProgramScope, after: string | null = null): ExportPage | undefined {
  const ordered = orderedItems(scope);
  const start = after === null ? 0 : ordered.findIndex((items) => items.includes(after)) + 1;
  if (after !== null && start === 0) return undefined;
  const texts = new Map<string, string>();
  let size = 0;
  let next: string | null = null;
  for (const [index, items] of ordered.slice(start).entries()) {
    const parts = items.map((item) => [item, itemText(scope, item)] as const);
    const added = parts.reduce((sum, [, text]) => sum + text.length + 1, 0);
    if (size > 0 && size + added > pageMax) {
      next = ordered[start + index - 1]?.[0] ?? null;
      break;
    }
    size += added;
    for (const [item, text] of parts) texts.set(item, text);
  }
  const page = inPageOrder([...texts.keys()]);
  return { text: page.map((item) => texts.get(item) ?? "").join("\n"), next };
}
