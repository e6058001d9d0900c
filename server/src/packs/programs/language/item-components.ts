/** An item that others can use. Ids of functions and types may be equal, so the kind is part of the path. */
export type ItemPath = `function/${string}` | `type/${string}`;

interface Visit {
  readonly path: ItemPath;
  readonly uses: readonly ItemPath[];
  at: number;
}

interface ComponentOptions {
  /** The items that an item uses directly. */
  readonly uses: (path: ItemPath) => readonly ItemPath[];
  /** Receives each component after all components that it uses. Its members are sorted. */
  readonly close: (members: readonly ItemPath[]) => void;
}

/**
 * Finds the components of items that reach each other. It is Tarjan's algorithm with its own stack: a chain of calls may
 * be longer than the host's stack allows.
 */
export class ItemComponents {
  readonly #options: ComponentOptions;
  readonly #order = new Map<ItemPath, number>();
  readonly #low = new Map<ItemPath, number>();
  readonly #open: ItemPath[] = [];
  readonly #closed = new Set<ItemPath>();

  constructor(options: ComponentOptions) {
    this.#options = options;
  }

  /** Closes everything that the item reaches, unless an earlier visit did. */
  visit(start: ItemPath): void {
    if (this.#order.has(start)) return;
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
        else if (!this.#closed.has(next)) this.#lower(visit.path, this.#order.get(next));
      }
    }
  }

  #begin(path: ItemPath): Visit {
    this.#low.set(path, this.#order.size);
    this.#order.set(path, this.#order.size);
    this.#open.push(path);
    return { path, uses: this.#options.uses(path), at: 0 };
  }

  #lower(path: ItemPath, to: number | undefined): void {
    this.#low.set(path, Math.min(this.#low.get(path) ?? 0, to ?? Infinity));
  }

  /** Closes a component if the item is its first one. */
  #end(path: ItemPath): void {
    if (this.#low.get(path) !== this.#order.get(path)) return;
    const members = this.#open.splice(this.#open.lastIndexOf(path)).sort();
    for (const member of members) this.#closed.add(member);
    this.#options.close(members);
  }
}
