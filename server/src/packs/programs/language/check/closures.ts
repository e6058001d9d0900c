/**
 * Closure hashes: the hash of an item and of everything that its execution can reach. Items that reach each other are
 * one component with one hash. They are cache keys and are never stored.
 */
import type { HashText } from "../hash.ts";
import type { ProgramScope } from "../program-scope.ts";

/** `function/f1` or `type/t1`. Ids of functions and types may be equal. */
export type ItemPath = `function/${string}` | `type/${string}`;

export const functionPath = (id: string): ItemPath => `function/${id}`;
export const typePath = (id: string): ItemPath => `type/${id}`;

/** The items that an item uses directly. */
function usesOf(scope: ProgramScope, path: ItemPath): readonly ItemPath[] {
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

interface Visit {
  readonly path: ItemPath;
  readonly uses: readonly ItemPath[];
  at: number;
}

export class ClosureHashes {
  readonly #scope: ProgramScope;
  readonly #hash: HashText;
  readonly #hashes = new Map<ItemPath, string>();
  readonly #order = new Map<ItemPath, number>();
  readonly #low = new Map<ItemPath, number>();
  readonly #open: ItemPath[] = [];

  constructor(scope: ProgramScope, hash: HashText) {
    this.#scope = scope;
    this.#hash = hash;
  }

  of(path: ItemPath): string {
    if (!this.#hashes.has(path)) this.#visit(path);
    return this.#hashes.get(path) ?? "";
  }

  /** Tarjan's algorithm with its own stack: a chain of calls may be longer than the host's stack allows. */
  #visit(start: ItemPath): void {
    const stack: Visit[] = [this.#begin(start)];
    for (let visit = stack.at(-1); visit !== undefined; visit = stack.at(-1)) {
      const next = visit.uses[visit.at];
      if (next === undefined) {
        stack.pop();
        this.#end(visit.path);
        const owner = stack.at(-1);
        if (owner !== undefined) this.#lower(owner.path, this.#low.get(visit.path));
      } else {
        visit.at += 1;
        if (!this.#order.has(next)) stack.push(this.#begin(next));
        else if (!this.#hashes.has(next)) this.#lower(visit.path, this.#order.get(next));
      }
    }
  }

  #begin(path: ItemPath): Visit {
    this.#low.set(path, this.#order.size);
    this.#order.set(path, this.#order.size);
    this.#open.push(path);
    return { path, uses: usesOf(this.#scope, path), at: 0 };
  }

  #lower(path: ItemPath, to: number | undefined): void {
    this.#low.set(path, Math.min(this.#low.get(path) ?? 0, to ?? Infinity));
  }

  /** Closes a component if the item is its first one. */
  #end(path: ItemPath): void {
    if (this.#low.get(path) !== this.#order.get(path)) return;
    const members = this.#open.splice(this.#open.lastIndexOf(path)).sort();
    const own = members.map((member) => `${member} ${ownHash(this.#scope, member)}`);
    const inside = new Set(members);
    const used = new Set(members.flatMap((member) => usesOf(this.#scope, member)).filter((each) => !inside.has(each)));
    const below = [...used].sort().map((each) => `${each} ${this.#hashes.get(each) ?? ""}`);
    const hash = this.#hash(`holdfast.program.closure.1\n${JSON.stringify([own, below])}`);
    for (const member of members) this.#hashes.set(member, this.#hash(`${member}\n${hash}`));
  }
}
