import sortedBtree from "sorted-btree";
import type { ScanRange } from "./scan-range.ts";

const BTree = sortedBtree.default;

/** Compares by UTF-16 code units, like every order in the machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Separates sort key and primary key. Input has no NUL, so neither of them contains it. */
const separator = "\0";

/** A change of a row, with its value before. */
export interface CellChange<Row> {
  readonly cell: { readonly key: string; readonly row: Row | undefined; movedBy: number };
  readonly old: Row | undefined;
}

/** Number of the last pass over changes, in any order of any table. It marks the cells that a pass has moved. */
let passes = 0;

interface TableOrderOptions<Row> {
  readonly sort: string;
  readonly sortKey: (row: Row) => string | undefined;
  /** True if no two rows have the same sort key. */
  readonly isUnique: boolean;
}

/** The keys of a table's rows in the order of one sort key. A row without that sort key is left out. */
export class TableOrder<Row> {
  readonly sort: string;
  readonly #sortKey: (row: Row) => string | undefined;
  readonly #isUnique: boolean;
  /** Sort key plus primary key, so that rows with equal sort keys have a fixed order. A unique sort key is enough. */
  readonly #tree = new BTree<string, string>(undefined, compareText);
  /** Number of the table's pending changes that the tree has. */
  #seenCount = 0;

  constructor({ sort, sortKey, isUnique }: TableOrderOptions<Row>) {
    this.sort = sort;
    this.#sortKey = sortKey;
    this.#isUnique = isUnique;
  }

  get size(): number {
    return this.#tree.size;
  }

  /** Adds the changes that the tree lacks. The first change of a row in a pass has the value that the tree has. */
  follow(changes: readonly CellChange<Row>[]): void {
    if (this.#seenCount === changes.length) return;
    passes += 1;
    for (let index = this.#seenCount; index < changes.length; index += 1) {
      const { cell, old } = changes[index] as CellChange<Row>;
      if (cell.movedBy === passes) continue;
      cell.movedBy = passes;
      if (cell.row !== old) this.#move(cell.key, old, cell.row);
    }
    this.#seenCount = changes.length;
  }

  /** The same before the table forgets its pending changes. */
  finish(changes: readonly CellChange<Row>[]): void {
    this.follow(changes);
    this.#seenCount = 0;
  }

  /** Moves a key from the place of the old row to the place of the new one. */
  #move(key: string, old: Row | undefined, row: Row | undefined): void {
    const before = old === undefined ? undefined : this.#sortKey(old);
    const after = row === undefined ? undefined : this.#sortKey(row);
    if (before === after) return;
    if (before !== undefined) this.#tree.delete(this.#treeKey(before, key));
    if (after !== undefined) this.#tree.set(this.#treeKey(after, key), key);
  }

  #treeKey(sortKey: string, key: string): string {
    return this.#isUnique ? sortKey : sortKey + separator + key;
  }

  /** The first key in an ascending range: one search in the tree. Most scans of decisions want only that one. */
  firstKey({ prefix = "", after }: ScanRange): string | undefined {
    const found = this.#tree.getPairOrNextHigher(startOf(prefix, after));
    return found?.[0].startsWith(prefix) === true ? found[1] : undefined;
  }

  /** The keys in a range, without its limit. */
  *keys({ prefix = "", after, descending }: ScanRange): Iterable<string> {
    const start = startOf(prefix, after);
    const entries = descending === true ? this.#descend(prefix, start) : this.#tree.entries(start);
    for (const [composite, key] of entries) {
      if (!composite.startsWith(prefix)) return;
      yield key;
    }
  }

  /** The entries with a prefix and at or above a start, from the highest to the lowest. */
  *#descend(prefix: string, start: string): Iterable<[string, string]> {
    // The lowest text above all texts with the prefix. No prefix ends with the highest code unit.
    const end =
      prefix === "" ? undefined : prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
    for (const entry of this.#tree.entriesReversed(end, undefined, true)) {
      if (entry[0] < start) return;
      yield entry;
    }
  }
}

/** Above every composite key of the sort key `after`: the separator is the lowest character. */
function startOf(prefix: string, after: string | undefined): string {
  return after === undefined || after < prefix ? prefix : `${after}\u0001`;
}
