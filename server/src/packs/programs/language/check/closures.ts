/**
 * Closure hashes: the hash of an item and of everything that its execution can reach. Items that reach each other are
 * one component with one hash. They are cache keys and are never stored.
 */
import type { HashContent } from "../hash.ts";
import { ItemComponents } from "../item-components.ts";
import type { ItemPath } from "../item-components.ts";
import type { ProgramScope } from "../program-scope.ts";

export const functionPath = (id: string): ItemPath => `function/${id}`;
export const typePath = (id: string): ItemPath => `type/${id}`;

/** The items that an item uses directly. */
export function usesOf(scope: ProgramScope, path: ItemPath): readonly ItemPath[] {
  const id = path.slice(path.indexOf("/") + 1);
  const value = path.startsWith("function/") ? scope.function(id) : scope.type(id);
  return value === undefined ? [] : [...value.calls.map(functionPath), ...value.types.map(typePath)];
}

/** The hash of an item alone. */
export function ownHash(scope: ProgramScope, path: ItemPath): string {
  const id = path.slice(path.indexOf("/") + 1);
  return (path.startsWith("function/") ? scope.function(id)?.hash : scope.type(id)?.hash) ?? "none";
}

/** Everything that can be reached from the starts, the starts included. */
export function reachableItems(scope: ProgramScope, starts: Iterable<ItemPath>): ReadonlySet<ItemPath> {
  const reached = new Set(starts);
  for (const path of reached) for (const used of usesOf(scope, path)) reached.add(used);
  return reached;
}

export class ClosureHashes {
  readonly #scope: ProgramScope;
  readonly #hash: HashContent;
  readonly #hashes = new Map<ItemPath, string>();
  readonly #components: ItemComponents;

  constructor(scope: ProgramScope, hash: HashContent) {
    this.#scope = scope;
    this.#hash = hash;
    this.#components = new ItemComponents({
      uses: (path) => usesOf(scope, path),
      close: (members) => {
        this.#close(members);
      },
    });
  }

  of(path: ItemPath): string {
    this.#components.visit(path);
    return this.#hashes.get(path) ?? "";
  }

  #close(members: readonly ItemPath[]): void {
    const own = members.map((member) => `${member} ${ownHash(this.#scope, member)}`);
    const inside = new Set(members);
    const used = new Set(members.flatMap((member) => usesOf(this.#scope, member)).filter((each) => !inside.has(each)));
    const below = [...used].sort().map((each) => `${each} ${this.#hashes.get(each) ?? ""}`);
    const hash = this.#hash(`holdfast.program.closure.1\n${JSON.stringify([own, below])}`);
    for (const member of members) this.#hashes.set(member, this.#hash(`${member}\n${hash}`));
  }
}
