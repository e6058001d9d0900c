import type { ScanRange } from "./scan-range.ts";
import { compareText, TableOrder } from "./table-order.ts";
import type { CellChange } from "./table-order.ts";
import type { UndoList } from "./undo-list.ts";

/**
 * Declares a table of immutable rows. `key` finds one row. Each sort key defines one order of scans. A row without that
 * sort key is left out. No other order exists. The insertion order of a Map would differ between a folded, a loaded and
 * an undone state.
 */
export interface TableSpec<Row, Sort extends string = string> {
  readonly name: string;
  readonly key: (row: Row) => string;
  readonly sorts: Readonly<Record<Sort, (row: Row) => string | undefined>>;
  /** The sorts in which no two rows have the same sort key. Their index entries leave out the primary key. */
  readonly uniqueSorts?: readonly Sort[];
  /** The bound of the number of rows. Every table of a feature or a pack declares one. */
  readonly boundedBy?: RowBound;
  /** The order of the rows by the time at which a timer acts on them. See `nextDue`. */
  readonly due?: { readonly sort: Sort; readonly at: (row: Row) => number | undefined };
  /** Approximate bytes of a row in the space's quota; a fixed number by default. */
  readonly bytes?: (row: Row) => number;
}

/**
 * With `quota` new rows are refused when the space is full. With `operators` only operators add rows. With `one` there
 * is one row, or a fixed number. Otherwise it is the name of a limit.
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

/** A table as decisions read it. */
export interface TableReader<Row, Sort extends string = string> {
  get(key: string): Row | undefined;
  scan(sort: Sort, range: ScanRange): readonly Row[];
  /** Number of rows that have this sort key. */
  count(sort: Sort): number;
  readonly size: number;
  /**
   * The time at which the first row is due, for a table that declares `due`. It may be too early, because a removed row
   * may have been the first. It is exact if it is not after `time`.
   */
  nextDue(time: number): number | undefined;
}

/** A table as folds change it. */
export interface TableWriter<Row, Sort extends string = string> extends TableReader<Row, Sort> {
  put(row: Row): void;
  delete(key: string): void;
}

/** Number of removed rows at which their cells leave the Map, unless more than twice as many rows changed. */
const removedCellsMax = 4_096;

/** Maximum number of changes that an order of a table may lack. The next scan of that order adds them. */
const unsortedChangesMax = 2_048;

/** The parts that all tables of a state share: the undo list and the sum of the bytes of their rows. */
interface TableState {
  readonly undo: UndoList;
  bytes: number;
}

/** A row that changed since the last capture, with its value at that capture. */
class Cell<Row> {
  readonly key: string;
  row: Row | undefined;
  readonly captured: Row | undefined;
  isForgotten = false;
  /** The last pass of an order that moved this row. */
  movedBy = 0;

  constructor(key: string, row: Row | undefined) {
    this.key = key;
    this.row = row;
    this.captured = row;
  }
}

/**
 * The rows of one table.
 *
 * - One lookup finds a row. A row that changed since the last capture is in a cell, so a change costs one more lookup.
 * - An order is updated when a scan or a count reads that order. A row that is added and removed between two scans, as most
 *   locks are, never reaches its tree. An order that only lists read costs decisions nothing.
 */
export class Table<Row, Sort extends string = string> implements TableWriter<Row, Sort> {
  readonly spec: TableSpec<Row, Sort>;
  readonly #rows = new Map<string, Row | Cell<Row>>();
  #size = 0;
  /** No row is due before this time. */
  #dueFrom = Infinity;
  readonly #orders: readonly TableOrder<Row>[];
  readonly #undo: UndoList;
  /** Every cell of the Map, and some that left it. */
  #changed: Cell<Row>[] = [];
  /** Cells of rows that were added after the last capture and removed. */
  #removed: Cell<Row>[] = [];
  /** The changes that some order lacks. Each order counts the ones that it has seen. */
  #unsorted: CellChange<Row>[] = [];
  readonly #state: TableState;

  constructor(spec: TableSpec<Row, Sort>, state: TableState) {
    this.spec = spec;
    this.#undo = state.undo;
    this.#state = state;
    const uniqueSorts = new Set<string>(spec.uniqueSorts);
    this.#orders = Object.entries<(row: Row) => string | undefined>(spec.sorts).map(
      ([sort, sortKey]) => new TableOrder({ sort, sortKey, isUnique: uniqueSorts.has(sort) }),
    );
  }

  get size(): number {
    return this.#size;
  }

  get(key: string): Row | undefined {
    const found = this.#rows.get(key);
    return found instanceof Cell ? found.row : found;
  }

  nextDue(time: number): number | undefined {
    const { due } = this.spec;
    if (due === undefined) throw new Error(`table ${this.spec.name} declares no due times`);
    if (this.#dueFrom <= time || this.#size === 0) {
      const [first] = this.scan(due.sort, { limit: 1 });
      this.#dueFrom = (first === undefined ? undefined : due.at(first)) ?? Infinity;
    }
    return this.#dueFrom === Infinity ? undefined : this.#dueFrom;
  }

  count(sort: Sort): number {
    return this.#order(sort).size;
  }

  scan(sort: Sort, range: ScanRange): readonly Row[] {
    if (this.#size === 0) return [];
    const order = this.#order(sort);
    if (range.limit === 1 && range.descending !== true) return this.#rowsOf(order.firstKey(range));
    const found: Row[] = [];
    for (const key of order.keys(range)) {
      if (found.length >= range.limit) break;
      const row = this.get(key);
      if (row !== undefined) found.push(row);
    }
    return found;
  }

  #rowsOf(key: string | undefined): readonly Row[] {
    const row = key === undefined ? undefined : this.get(key);
    return row === undefined ? [] : [row];
  }

  put(row: Row): void {
    const cell = this.#cell(this.spec.key(row));
    this.#undo.record(this, cell.key, cell.row);
    this.#set(cell, row);
  }

  delete(key: string): void {
    if (this.get(key) === undefined) return;
    const cell = this.#cell(key);
    this.#undo.record(this, key, cell.row);
    this.#set(cell, undefined);
  }

  /** Restores an old value, for the undo list only. */
  restore(key: string, old: unknown): void {
    this.#set(this.#cell(key), old as Row | undefined);
  }

  /** All rows in the order of their keys. It sorts, so it serves checkpoints and hashes, not decisions. */
  *dump(): Iterable<Row> {
    for (const key of [...this.#rows.keys()].sort(compareText)) {
      const row = this.get(key);
      if (row !== undefined) yield row;
    }
  }

  /**
   * The rows that changed since the last call. It copies references only. Rows are immutable, so the caller may process
   * them later.
   */
  capture(): readonly RowChange[] {
    this.#sort();
    const cells = this.#changed;
    this.#changed = [];
    this.#removed = [];
    const changes: RowChange[] = [];
    for (const { key, row, captured, isForgotten } of cells) {
      if (isForgotten) continue;
      if (row === undefined) this.#rows.delete(key);
      else this.#rows.set(key, row);
      // A row that was added and removed in between, as most locks are, has not changed.
      if (row !== captured) changes.push({ table: this.spec.name, key, old: captured, row });
    }
    return changes;
  }

  /** The order of a sort key, up to date. */
  #order(sort: Sort): TableOrder<Row> {
    for (const order of this.#orders) {
      if (order.sort !== sort) continue;
      order.follow(this.#unsorted);
      return order;
    }
    throw new Error(`table ${this.spec.name} has no sort key ${sort}`);
  }

  #cell(key: string): Cell<Row> {
    const found = this.#rows.get(key);
    if (found instanceof Cell) return found;
    const cell = new Cell<Row>(key, found);
    this.#rows.set(key, cell);
    this.#changed.push(cell);
    return cell;
  }

  #bytesOf(row: Row | undefined): number {
    if (row === undefined) return 0;
    return this.spec.bytes === undefined ? rowBytes : this.spec.bytes(row);
  }

  #set(cell: Cell<Row>, row: Row | undefined): void {
    const old = cell.row;
    cell.row = row;
    const { due } = this.spec;
    // A bound, not the order: a lock that is released before its bound is reached never enters a tree.
    if (row !== undefined && due !== undefined) this.#dueFrom = Math.min(this.#dueFrom, due.at(row) ?? Infinity);
    this.#size += (row === undefined ? 0 : 1) - (old === undefined ? 0 : 1);
    this.#state.bytes += this.#bytesOf(row) - this.#bytesOf(old);
    if (this.#orders.length > 0) this.#sortLater(cell, old);
    if (row === undefined && cell.captured === undefined) this.#forgetLater(cell);
  }

  /**
   * Deletes the keys of removed rows from the Map later, some thousands together. A Map keeps deleted keys in its hash
   * chains until it is rebuilt. A key that is added and removed repeatedly in a large Map would become slower each
   * time.
   */
  #forgetLater(cell: Cell<Row>): void {
    this.#removed.push(cell);
    if (this.#removed.length < Math.max(removedCellsMax, this.#changed.length / 2)) return;
    this.#sort();
    for (const removed of this.#removed) {
      if (removed.row !== undefined || removed.isForgotten) continue;
      removed.isForgotten = true;
      this.#rows.delete(removed.key);
    }
    this.#removed = [];
    this.#changed = this.#changed.filter(({ isForgotten }) => !isForgotten);
  }

  #sortLater(cell: Cell<Row>, old: Row | undefined): void {
    this.#unsorted.push({ cell, old });
    if (this.#unsorted.length >= unsortedChangesMax) this.#sort();
  }

  /** Updates all orders with the rows that changed. */
  #sort(): void {
    if (this.#unsorted.length === 0) return;
    for (const order of this.#orders) order.finish(this.#unsorted);
    this.#unsorted = [];
  }
}
