import type { NameTable } from "./names.ts";
import { type ItemKind, ItemTables, type ItemValues, type ProgramScope } from "./program-scope.ts";
import type { FunctionValue, ModuleValue, TypeValue } from "./function-value.ts";

/** Changed rows over a base. Undefined is a removed row. Reading it costs as much as reading the base. */
export class ProgramDraft implements ProgramScope {
  readonly base: ProgramScope;
  readonly #changed = {
    function: new Map<string, FunctionValue | undefined>(),
    type: new Map<string, TypeValue | undefined>(),
    module: new Map<string, ModuleValue | undefined>(),
  };
  /** The changed rows alone, with their indexes. */
  readonly #own = new ItemTables();
  readonly names: NameTable;

  constructor(base: ProgramScope) {
    this.base = base;
    this.names = {
      functionNamed: (module, name) => this.#named("function", module, name, base.names.functionNamed(module, name)),
      typeNamed: (module, name) => this.#named("type", module, name, base.names.typeNamed(module, name)),
      modulesNamed: (name) =>
        this.#merge("module", base.names.modulesNamed(name), this.#own.names.get(`module  ${name}`)),
      nameOfFunction: (id) => this.function(id),
      nameOfType: (id) => this.type(id),
      nameOfModule: (id) => this.module(id)?.name,
      wordsNear: (module) => [
        ...base.names.wordsNear(module),
        ...[...this.#own.function.values(), ...this.#own.type.values()].map(({ name }) => name),
      ],
    };
  }

  set<Kind extends ItemKind>(kind: Kind, id: string, value: ItemValues[Kind] | undefined): void {
    (this.#changed[kind] as Map<string, ItemValues[Kind] | undefined>).set(id, value);
    this.#own.set(kind, id, value);
  }

  /** The changed rows of a kind, in the order in which they were first changed. */
  changed<Kind extends ItemKind>(kind: Kind): ReadonlyMap<string, ItemValues[Kind] | undefined> {
    return this.#changed[kind] as ReadonlyMap<string, ItemValues[Kind] | undefined>;
  }

  #row<Kind extends ItemKind>(kind: Kind, id: string): ItemValues[Kind] | undefined {
    const changed = this.changed(kind);
    if (changed.has(id)) return changed.get(id);
    return (this.base[kind] as (id: string) => ItemValues[Kind] | undefined)(id);
  }

  #merge(kind: ItemKind, base: readonly string[], own: readonly string[]): readonly string[] {
    return [...base.filter((id) => !this.#changed[kind].has(id)), ...own].sort();
  }

  #named(kind: "function" | "type", module: string, name: string, base: string | undefined): string | undefined {
    const ids = this.#merge(kind, base === undefined ? [] : [base], this.#own.names.get(`${kind} ${module} ${name}`));
    return ids.length === 1 ? ids[0] : undefined;
  }

  *#ids(kind: ItemKind, base: Iterable<string>): Generator<string, void> {
    for (const id of base) if (!this.#changed[kind].has(id)) yield id;
    yield* this.#own[kind].keys();
  }

  readonly function = (id: string): FunctionValue | undefined => this.#row("function", id);
  readonly type = (id: string): TypeValue | undefined => this.#row("type", id);
  readonly module = (id: string): ModuleValue | undefined => this.#row("module", id);
  readonly functionIds = (): Iterable<string> => this.#ids("function", this.base.functionIds());
  readonly typeIds = (): Iterable<string> => this.#ids("type", this.base.typeIds());
  readonly moduleIds = (): Iterable<string> => this.#ids("module", this.base.moduleIds());
  readonly callersOf = (id: string): readonly string[] =>
    this.#merge("function", this.base.callersOf(id), this.#own.callers.get(id));
  readonly typesCalling = (id: string): readonly string[] =>
    this.#merge("type", this.base.typesCalling(id), this.#own.typeCallers.get(id));
  readonly usersOf = (id: string): readonly string[] =>
    this.#merge("function", this.base.usersOf(id), this.#own.users.get(id));
  readonly containersOf = (id: string): readonly string[] =>
    this.#merge("type", this.base.containersOf(id), this.#own.containers.get(id));
}
