/** The names of a program at one moment of the state, for printing. */
import type { StateReader } from "../../../machine/state.ts";
import type { NameTable } from "../../../packs/programs/language/names.ts";
import { gap, itemTable, namePrefix } from "../../../packs/programs/item-tables.ts";
import type { ItemKind } from "../../../packs/programs/language/program-scope.ts";
import { findItem } from "../../../packs/programs/program-value.ts";

/** Maximum modules that a name is searched in. */
const modulesMax = 1_000;

export function stateNames(state: StateReader, programId: string): NameTable {
  const rows = state.rows(itemTable);
  const named = (kind: ItemKind, module: string, name: string): string | undefined => {
    const prefix = `${namePrefix(programId, kind)}${module}${gap}${name}${gap}`;
    const found = rows.scan("name", { prefix, limit: 2 });
    return found.length === 1 ? found[0]?.id : undefined;
  };
  const nameOf = (kind: "function" | "type", id: string) => {
    const value = findItem(state, programId, `${kind}/${id}`);
    return value === undefined || value.kind === "module" ? undefined : value;
  };
  return {
    functionNamed: (module, name) => named("function", module, name),
    typeNamed: (module, name) => named("type", module, name),
    modulesNamed: (name) =>
      rows
        .scan("name", { prefix: namePrefix(programId, "module"), limit: modulesMax })
        .filter((row) => row.name === name)
        .map(({ id }) => id)
        .sort(),
    nameOfFunction: (id) => nameOf("function", id),
    nameOfType: (id) => nameOf("type", id),
    nameOfModule: (id) => findItem(state, programId, `module/${id}`)?.name,
    wordsNear: () => [],
  };
}
