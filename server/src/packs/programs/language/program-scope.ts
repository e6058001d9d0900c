/**
 * A program as the language sees it, with rows by id, names, callers and users of types. `ProgramRows` holds the rows
 * of a snapshot; `ProgramDraft` lays changed rows over it and costs only what changed.
 */
import type { NameTable } from "./names.ts";
import type { FunctionValue, ModuleValue, TypeValue } from "./function-value.ts";

export interface ProgramScope {
  readonly function: (id: string) => FunctionValue | undefined;
  readonly type: (id: string) => TypeValue | undefined;
  readonly module: (id: string) => ModuleValue | undefined;
  readonly functionIds: () => Iterable<string>;
  readonly typeIds: () => Iterable<string>;
  readonly moduleIds: () => Iterable<string>;
  /** The functions that call a function. */
  readonly callersOf: (id: string) => readonly string[];
  /** The types whose invariants call a function. */
  readonly typesCalling: (id: string) => readonly string[];
  /** The functions that name a type. */
  readonly usersOf: (typeId: string) => readonly string[];
  /** The types that contain a type. */
  readonly containersOf: (typeId: string) => readonly string[];
  readonly names: NameTable;
}

export interface ItemValues {
  readonly function: FunctionValue;
  readonly type: TypeValue;
  readonly module: ModuleValue;
}

export type ItemKind = keyof ItemValues;

/** Maps a key to sorted ids. */
class Index {
  readonly #sets = new Map<string, Set<string>>();

  change(keys: Iterable<string>, id: string, isPresent: boolean): void {
    for (const key of keys) {
      const set = this.#sets.get(key) ?? new Set();
      if (isPresent) set.add(id);
      else set.delete(id);
      if (set.size === 0) this.#sets.delete(key);
      else this.#sets.set(key, set);
    }
  }

  get(key: string): readonly string[] {
    return [...(this.#sets.get(key) ?? [])].sort();
  }

  has(key: string, id: string): boolean {
    return this.#sets.get(key)?.has(id) === true;
  }
}

/** The tables of one program. */
export class ItemTables {
  readonly function = new Map<string, FunctionValue>();
  readonly type = new Map<string, TypeValue>();
  readonly module = new Map<string, ModuleValue>();
  readonly callers = new Index();
  readonly typeCallers = new Index();
  readonly users = new Index();
  readonly containers = new Index();
  readonly names = new Index();

  #index(kind: ItemKind, id: string, value: FunctionValue | TypeValue | ModuleValue, isPresent: boolean): void {
    const home = value.kind === "module" ? "" : value.module;
    this.names.change([`${kind} ${home} ${value.name}`], id, isPresent);
    if (value.kind === "function") {
      this.callers.change(value.calls, id, isPresent);
      this.users.change(value.types, id, isPresent);
    }
    if (value.kind === "type") {
      this.typeCallers.change(value.calls, id, isPresent);
      this.containers.change(value.types, id, isPresent);
    }
  }

  /** Sets or removes a row. */
  set<Kind extends ItemKind>(kind: Kind, id: string, value: ItemValues[Kind] | undefined): void {
    const table = this[kind] as Map<string, ItemValues[Kind]>;
    const before = table.get(id);
    if (before !== undefined) this.#index(kind, id, before, false);
    if (value === undefined) table.delete(id);
    else {
      table.set(id, value);
      this.#index(kind, id, value, true);
    }
  }
}

/** Maximum names that a suggestion is chosen from. */
const wordsMax = 2_000;

function namesOf(scope: Omit<ProgramScope, "names">, named: (key: string) => readonly string[]): NameTable {
  const only = (ids: readonly string[]): string | undefined => (ids.length === 1 ? ids[0] : undefined);
  return {
    functionNamed: (module, name) => only(named(`function ${module} ${name}`)),
    typeNamed: (module, name) => only(named(`type ${module} ${name}`)),
    modulesNamed: (name) => named(`module  ${name}`),
    nameOfFunction: (id) => scope.function(id),
    nameOfType: (id) => scope.type(id),
    nameOfModule: (id) => scope.module(id)?.name,
    wordsNear: (module) => {
      const words: string[] = [];
      for (const id of scope.functionIds()) {
        const value = scope.function(id);
        if (value?.module === module) words.push(value.name);
        if (words.length >= wordsMax) break;
      }
      for (const id of scope.typeIds()) words.push(scope.type(id)?.name ?? "");
      return words;
    },
  };
}

export class ProgramRows implements ProgramScope {
  readonly tables = new ItemTables();
  readonly names: NameTable = namesOf(this, (key) => this.tables.names.get(key));

  set<Kind extends ItemKind>(kind: Kind, id: string, value: ItemValues[Kind] | undefined): void {
    this.tables.set(kind, id, value);
  }

  readonly function = (id: string): FunctionValue | undefined => this.tables.function.get(id);
  readonly type = (id: string): TypeValue | undefined => this.tables.type.get(id);
  readonly module = (id: string): ModuleValue | undefined => this.tables.module.get(id);
  readonly functionIds = (): Iterable<string> => this.tables.function.keys();
  readonly typeIds = (): Iterable<string> => this.tables.type.keys();
  readonly moduleIds = (): Iterable<string> => this.tables.module.keys();
  readonly callersOf = (id: string): readonly string[] => this.tables.callers.get(id);
  readonly typesCalling = (id: string): readonly string[] => this.tables.typeCallers.get(id);
  readonly usersOf = (id: string): readonly string[] => this.tables.users.get(id);
  readonly containersOf = (id: string): readonly string[] => this.tables.containers.get(id);
}
