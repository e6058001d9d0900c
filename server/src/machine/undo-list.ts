/** The members of a table that the undo list uses. */
interface Restorable {
  restore(key: string, old: unknown): void;
}

interface UndoRecord {
  readonly table: Restorable;
  readonly key: string;
  /** The row before the change; undefined if it did not exist. */
  readonly old: unknown;
}

/**
 * The old values of every row that changed since the last durable state. It has three uses:
 * - a command that fails is rolled back alone (`mark` and `undoTo`);
 * - a batch whose append failed is rolled back as a whole;
 * - a read during an append sees the old values (`before`).
 */
export class UndoList {
  #records: UndoRecord[] = [];
  /** Built at the first read, since most appends finish before any read. */
  #before: Map<Restorable, Map<string, unknown>> | undefined;

  record(table: Restorable, key: string, old: unknown): void {
    this.#records.push({ table, key, old });
    this.#before = undefined;
  }

  mark(): number {
    return this.#records.length;
  }

  undoTo(mark: number): void {
    for (let index = this.#records.length - 1; index >= mark; index -= 1) {
      const record = this.#records[index];
      if (record !== undefined) record.table.restore(record.key, record.old);
    }
    this.#records.length = mark;
    this.#before = undefined;
  }

  /** The changes are durable and cannot be rolled back. */
  settle(): void {
    this.#records = [];
    this.#before = undefined;
  }

  get isEmpty(): boolean {
    return this.#records.length === 0;
  }

  /** The last durable value of a row, or `untouched`. */
  before(table: Restorable, key: string): { readonly row: unknown } | "untouched" {
    if (this.#records.length === 0) return "untouched";
    this.#before ??= this.#collect();
    const rows = this.#before.get(table);
    return rows?.has(key) === true ? { row: rows.get(key) } : "untouched";
  }

  #collect(): Map<Restorable, Map<string, unknown>> {
    const before = new Map<Restorable, Map<string, unknown>>();
    // From the newest to the oldest, so that the oldest value is the one that stays.
    for (let index = this.#records.length - 1; index >= 0; index -= 1) {
      const record = this.#records[index];
      if (record === undefined) continue;
      const rows = before.get(record.table) ?? new Map<string, unknown>();
      rows.set(record.key, record.old);
      before.set(record.table, rows);
    }
    return before;
  }
}
