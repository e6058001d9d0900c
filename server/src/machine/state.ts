import { Table } from "./table.ts";
import type { ScanRange } from "./scan-range.ts";
import type { RowChange, TableReader, TableSpec, TableWriter } from "./table.ts";
import { UndoList } from "./undo-list.ts";

/** The state as a decision reads it. */
export interface StateReader {
  /** Approximate bytes of all rows together. */
  readonly bytes: number;
  rows<Row, Sort extends string>(spec: TableSpec<Row, Sort>): TableReader<Row, Sort>;
}

/** The state as a fold changes it. */
export interface StateWriter extends StateReader {
  rows<Row, Sort extends string>(spec: TableSpec<Row, Sort>): TableWriter<Row, Sort>;
}

/** A saved row. Rows are plain JSON, so a loaded state equals a folded one. */
export interface DumpedRow {
  readonly table: string;
  readonly key: string;
  readonly row: unknown;
}

/** All tables of a machine, with the undo list of changes that are not durable. */
export class State implements StateWriter {
  readonly undo = new UndoList();
  /** The tables update it with every change, since each write compares it with the quota. */
  bytes = 0;
  readonly #tables = new Map<string, Table<unknown>>();

  constructor(specs: readonly TableSpec<never>[]) {
    for (const spec of specs) {
      if (this.#tables.has(spec.name)) throw new Error(`two tables have the name ${spec.name}`);
      this.#tables.set(spec.name, new Table(spec as unknown as TableSpec<unknown>, this));
    }
  }

  rows<Row, Sort extends string>(spec: TableSpec<Row, Sort>): Table<Row, Sort> {
    const table = this.#tables.get(spec.name);
    if (table === undefined) throw new Error(`no feature of this machine has a table ${spec.name}`);
    return table as unknown as Table<Row, Sort>;
  }

  /** The rows of all tables that changed since the last call. */
  capture(): readonly RowChange[] {
    return [...this.#tables.values()].flatMap((table) => table.capture());
  }

  /** Every row, in a fixed order: tables by name, rows by key. Equal states give equal lines. */
  *dump(): Iterable<DumpedRow> {
    for (const name of [...this.#tables.keys()].sort()) {
      const table = this.#tables.get(name);
      for (const row of table?.dump() ?? []) yield { table: name, key: table?.spec.key(row) ?? "", row };
    }
  }

  load({ table, key, row }: DumpedRow): void {
    const rows = this.#tables.get(table);
    if (rows === undefined) throw new Error(`no feature of this machine has a table ${table}`);
    // Rows of another shape would get other keys, and most of them would be lost silently.
    if (rows.spec.key(row) !== key) throw new Error(`a row of ${table} does not match its key ${key}`);
    rows.put(row);
  }
}

/**
 * The last durable state. A row that a batch in flight touched is read with its old value. A scan has no old order, so
 * scans wait until no batch is in flight.
 */
export class DurableView implements StateReader {
  readonly #state: State;
  readonly #tables = new Map<string, DurableTable<unknown>>();

  constructor(state: State) {
    this.#state = state;
  }

  get bytes(): number {
    return this.#state.bytes;
  }

  rows<Row, Sort extends string>(spec: TableSpec<Row, Sort>): TableReader<Row, Sort> {
    let rows = this.#tables.get(spec.name);
    if (rows === undefined) {
      rows = new DurableTable(this.#state.rows(spec) as unknown as Table<unknown>, this.#state.undo);
      this.#tables.set(spec.name, rows);
    }
    return rows as unknown as TableReader<Row, Sort>;
  }
}

class DurableTable<Row> implements TableReader<Row> {
  readonly #table: Table<Row>;
  readonly #undo: UndoList;

  constructor(table: Table<Row>, undo: UndoList) {
    this.#table = table;
    this.#undo = undo;
  }

  get(key: string): Row | undefined {
    const before = this.#undo.before(this.#table, key);
    return before === "untouched" ? this.#table.get(key) : (before.row as Row | undefined);
  }

  scan(sort: string, range: ScanRange): readonly Row[] {
    this.#refuseInFlight("scan");
    return this.#table.scan(sort, range);
  }

  nextDue(time: number): number | undefined {
    this.#refuseInFlight("nextDue");
    return this.#table.nextDue(time);
  }

  count(sort: string): number {
    this.#refuseInFlight("count");
    return this.#table.count(sort);
  }

  get size(): number {
    return this.#table.size;
  }

  #refuseInFlight(operation: string): void {
    if (!this.#undo.isEmpty)
      throw new Error(
        `${operation} of table ${this.#table.spec.name} while a batch is in flight: wait until it is settled`,
      );
  }
}
