import sortedBtree from "sorted-btree";
import type { UndoList } from "./undo-list.ts";

/**
 * Declares a table of immutable rows. `key` finds one row. Each sort key defines one order of scans; a row without that
 * sort key is left out. No other order exists: the insertion order of a Map would differ between a folded, a loaded and
 * an undone state.
 */
export interface TableSpec<Row, Sort extends string = string> {
  readonly name: string;
  readonly key: (row: Row) => string;
  readonly sorts: Readonly<Record<Sort, (row: Row) => string | undefined>>;
  /** The bound of the number of rows. Every table of a feature or a pack declares one. */
  readonly boundedBy?: RowBound;
  /** Approximate bytes of a row in the space's quota; a fixed number by default. */
  readonly bytes?: (row: Row) => number;
}

/**
 * `quota`: new rows are refused when the space is full. `operators`: only operators add rows. `one`: there is one row, or
 * a fixed number. Otherwise the name of a limit.
 */
type RowBound = "quota" | "operators" | "one" | "tokensMax";

/** Bytes of a row whose table has no `bytes`. */
const rowBytes = 256;

/** A row that changed since the last capture, with its old and new value. */
export interface RowChange {
  readonly table: string;
  readonly key: string;
  readonly old: unknown;
  readonly row: unknown;
}

export interface ScanRange {
  /** Only sort keys with this prefix. */
  readonly prefix?: string | undefined;
  /** Only sort keys above this. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** Scans from the highest sort key to the lowest. */
  readonly descending?: boolean;
}

/** A table as decisions read it. */
export interface TableReader<Row, Sort extends string = string> {
  get(key: string): Row | undefined;
  scan(sort: Sort, range: ScanRange): readonly Row[];
  /** Number of rows that have this sort key. */
  count(sort: Sort): number;
  readonly size: number;
}

/** A table as folds change it. */
export interface TableWriter<Row, Sort extends string = string> extends TableReader<Row, Sort> {
  put(row: Row): void;
  delete(key: string): void;
}

const BTree = sortedBtree.default;

/** Compares by UTF-16 code units, like every order in the machine. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type KeyTree = InstanceType<typeof BTree<string, string>>;

/** The entries with a prefix and at or above a start, from the highest to the lowest. */
function* descend(tree: KeyTree, prefix: string, start: string): Iterable<[string, string]> {
  // The lowest text above all texts with the prefix. No prefix ends with the highest code unit.
  const end =
    prefix === "" ? undefined : prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
  for (const entry of tree.entriesReversed(end, undefined, true)) {
    if (entry[0] < start) return;
    yield entry;
  }
}

interface SortIndex<Row> {
  readonly sort: string;
  readonly of: (row: Row) => string | undefined;
  /** Sort key plus primary key, so that rows with equal sort keys have a fixed order. */
  readonly tree: KeyTree;
}

/** Separates sort key and primary key. Input has no NUL, so neither of them contains it. */
const separator = "\0";

/** Number of removed keys at which they are deleted from the Map. */
const removedKeysMax = 4_096;

export class Table<Row, Sort extends string = string> implements TableWriter<Row, Sort> {
  readonly spec: TableSpec<Row, Sort>;
  /** A removed row may leave its key here with the value undefined. See `#forget`. */
  readonly #rows = new Map<string, Row | undefined>();
  #size = 0;
  #removedKeys: string[] = [];
  readonly #indexes: readonly SortIndex<Row>[];
  readonly #undo: UndoList;
  /** Values at the last capture of the rows that changed since. */
  #touched = new Map<string, Row | undefined>();
  #bytes = 0;

  constructor(spec: TableSpec<Row, Sort>, undo: UndoList) {
    this.spec = spec;
    this.#undo = undo;
    this.#indexes = Object.entries<SortIndex<Row>["of"]>(spec.sorts).map(([sort, of]) => ({
      sort,
      of,
      tree: new BTree<string, string>(undefined, compareText),
    }));
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  count(sort: Sort): number {
    return this.#index(sort).tree.size;
  }

  scan(sort: Sort, range: ScanRange): readonly Row[] {
    const index = this.#index(sort);
    const prefix = range.prefix ?? "";
    // Above every composite key of the sort key `after`: the separator is the lowest character.
    const start = range.after === undefined || range.after < prefix ? prefix : `${range.after}\u0001`;
    const found: Row[] = [];
    const keys = range.descending === true ? descend(index.tree, prefix, start) : index.tree.entries(start);
    for (const [composite, key] of keys) {
      if (!composite.startsWith(prefix) || found.length >= range.limit) break;
      const row = this.#rows.get(key);
      if (row !== undefined) found.push(row);
    }
    return found;
  }

  put(row: Row): void {
    const key = this.spec.key(row);
    const old = this.#rows.get(key);
    this.#recordChange(key, old);
    this.#set(key, old, row);
  }

  delete(key: string): void {
    const old = this.#rows.get(key);
    if (old === undefined) return;
    this.#recordChange(key, old);
    this.#set(key, old, undefined);
  }

  /** Restores an old value, for the undo list only. */
  restore(key: string, old: unknown): void {
    this.#set(key, this.#rows.get(key), old as Row | undefined);
  }

  /** All rows in the order of their keys. It sorts, so it serves checkpoints and hashes, not decisions. */
  *dump(): Iterable<Row> {
    for (const key of [...this.#rows.keys()].sort(compareText)) {
      const row = this.#rows.get(key);
      if (row !== undefined) yield row;
    }
  }

  /**
   * The rows that changed since the last call. It copies references only. Rows are immutable, so the caller may process
   * them later.
   */
  capture(): readonly RowChange[] {
    const touched = this.#touched;
    this.#touched = new Map();
    const changes: RowChange[] = [];
    for (const [key, old] of touched) {
      const row = this.#rows.get(key);
      // A row that was added and removed in between, as most locks are, has not changed.
      if (row !== old) changes.push({ table: this.spec.name, key, old, row });
    }
    return changes;
  }

  #index(sort: Sort): SortIndex<Row> {
    for (const index of this.#indexes) if (index.sort === sort) return index;
    throw new Error(`table ${this.spec.name} has no sort key ${sort}`);
  }

  #recordChange(key: string, old: Row | undefined): void {
    this.#undo.record(this, key, old);
    if (!this.#touched.has(key)) this.#touched.set(key, old);
  }

  /**
   * Deletes the keys of removed rows from the Map later, some thousands together. A Map keeps deleted keys in its hash
   * chains until it is rebuilt. A key that is added and removed repeatedly in a large Map would become slower each
   * time.
   */
  #forget(key: string): void {
    this.#removedKeys.push(key);
    if (this.#removedKeys.length < removedKeysMax) return;
    const removed = this.#removedKeys;
    this.#removedKeys = [];
    for (const removedKey of removed) if (this.#rows.get(removedKey) === undefined) this.#rows.delete(removedKey);
  }

  #bytesOf(row: Row | undefined): number {
    if (row === undefined) return 0;
    return this.spec.bytes === undefined ? rowBytes : this.spec.bytes(row);
  }

  #set(key: string, old: Row | undefined, row: Row | undefined): void {
    this.#size += (row === undefined ? 0 : 1) - (old === undefined ? 0 : 1);
    this.#rows.set(key, row);
    if (row === undefined) this.#forget(key);
    this.#bytes += this.#bytesOf(row) - this.#bytesOf(old);
    for (const index of this.#indexes) {
      const before = old === undefined ? undefined : index.of(old);
      const after = row === undefined ? undefined : index.of(row);
      if (before === after) continue;
      if (before !== undefined) index.tree.delete(before + separator + key);
      if (after !== undefined) index.tree.set(after + separator + key, key);
    }
  }
}
