/** How names of a program become ids, and ids names. Both directions use the table of the same moment. */
interface ItemName {
  readonly name: string;
  readonly module: string;
  readonly public: boolean;
}

export interface NameTable {
  readonly functionNamed: (module: string, name: string) => string | undefined;
  readonly typeNamed: (module: string, name: string) => string | undefined;
  /** Modules may share a name if their parents differ. */
  readonly modulesNamed: (name: string) => readonly string[];
  readonly nameOfFunction: (id: string) => ItemName | undefined;
  readonly nameOfType: (id: string) => ItemName | undefined;
  readonly nameOfModule: (id: string) => string | undefined;
  /** Names in a module and in its neighbours, for suggestions. */
  readonly wordsNear: (module: string) => readonly string[];
}

/** No names: every item is written as `@f1`. An explanation of a past moment must not change with later names. */
export const noNames: NameTable = {
  functionNamed: () => undefined,
  typeNamed: () => undefined,
  modulesNamed: () => [],
  nameOfFunction: () => undefined,
  nameOfType: () => undefined,
  nameOfModule: () => undefined,
  wordsNear: () => [],
};

type Kind = "function" | "type";

const find = (table: NameTable, kind: Kind, module: string, name: string): string | undefined =>
  kind === "function" ? table.functionNamed(module, name) : table.typeNamed(module, name);

/** The id of a name as a module writes it, with or without the name of another module. */
export function resolveName(
  table: NameTable,
  { kind, from, prefix, name }: { kind: Kind; from: string; prefix: string | undefined; name: string },
): string | undefined {
  if (prefix === undefined) return find(table, kind, from, name);
  const found = table.modulesNamed(prefix).map((module) => find(table, kind, module, name));
  const known = found.filter((id) => id !== undefined);
  return known.length === 1 ? known[0] : undefined;
}

/** An item as a module writes it: `charge`, `billing.charge`, or `@f12` if names do not lead to it. */
export function writeName(table: NameTable, { kind, from, id }: { kind: Kind; from: string; id: string }): string {
  const item = kind === "function" ? table.nameOfFunction(id) : table.nameOfType(id);
  if (item === undefined) return `@${id}`;
  if (item.module === from) return find(table, kind, from, item.name) === id ? item.name : `@${id}`;
  const prefix = table.nameOfModule(item.module);
  if (prefix === undefined) return `@${id}`;
  return resolveName(table, { kind, from, prefix, name: item.name }) === id ? `${prefix}.${item.name}` : `@${id}`;
}
