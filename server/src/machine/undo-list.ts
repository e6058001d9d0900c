/** What the undo list needs of a table. */
interface Restorable {
  restore(key: string, old: unknown): void;
}

interface Note {
  readonly table: Restorable;
  readonly key: string;
  /** The row before the change; undefined if there was none. */
  readonly old: unknown;
}

/**
 * The old values of every row that changed since the last durable state. It serves three ends: a command that fails
 * half-way is taken back alone (`mark` and `undoTo`), a batch that could not be appended is taken back whole, and
 * reads during an append see what was there before it (`before`).
 */
export class UndoList {
  #notes: Note[] = [];
  /** Built when a read first asks, since most appends are over before anybody reads. */
  #before: Map<Restorable, Map<string, unknown>> | undefined;

  note(table: Restorable, key: string, old: unknown): void {
    this.#notes.push({ table, key, old });
    this.#before = undefined;
  }

  mark(): number {
    return this.#notes.length;
  }

  undoTo(mark: number): void {
    for (let index = this.#notes.length - 1; index >= mark; index -= 1) {
      const note = this.#notes[index];
      if (note !== undefined) note.table.restore(note.key, note.old);
    }
    this.#notes.length = mark;
    this.#before = undefined;
  }

  /** What was changed is durable: there is nothing to take back any more. */
  settle(): void {
    this.#notes = [];
    this.#before = undefined;
  }

  get isEmpty(): boolean {
    return this.#notes.length === 0;
  }

  /** The row before the changes that are not durable yet, or `untouched`. */
  before(table: Restorable, key: string): { readonly row: unknown } | "untouched" {
    if (this.#notes.length === 0) return "untouched";
    this.#before ??= this.#collect();
    const rows = this.#before.get(table);
    return rows?.has(key) === true ? { row: rows.get(key) } : "untouched";
  }

  #collect(): Map<Restorable, Map<string, unknown>> {
    const before = new Map<Restorable, Map<string, unknown>>();
    // From the newest to the oldest, so that the oldest value is the one that stays.
    for (let index = this.#notes.length - 1; index >= 0; index -= 1) {
      const note = this.#notes[index];
      if (note === undefined) continue;
      const rows = before.get(note.table) ?? new Map<string, unknown>();
      rows.set(note.key, note.old);
      before.set(note.table, rows);
    }
    return before;
  }
}
