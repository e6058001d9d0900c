/**
 * The index as the journal asks it: tables below, and above them tails in memory of what is not in the tables yet. Every
 * node has the tails, one at a time writes them. An answer is about the journal as it was when the tables were asked:
 * what others appended until then is read first.
 */
import { createIndexTail, findInLayers } from "../index-tail.ts";
import type { Head, SubjectQuery } from "../journal.ts";
import type { BatchEnd } from "../sealed-batch.ts";
import type { IndexedEntry } from "../unseal.ts";
import type { PostgresBatchTable } from "./batch-table.ts";
import type { IndexPart } from "./flush-index.ts";
import type { PostgresIndexStore, IndexSnapshot } from "./index-store.ts";

export interface PostgresLayeredIndexOptions {
  readonly store: PostgresIndexStore;
  readonly table: PostgresBatchTable;
  readonly tailRows: number;
  /** Writes parts to the tables; the position that these cover afterwards, if it is known. */
  readonly flush: (parts: readonly IndexPart[]) => Promise<number | undefined>;
  readonly onError: (error: unknown) => void;
}

/** Tails are dropped one by one, once they are covered. */
const partsPerFlush = 4;
const page = { entries: 5_000, bytes: 8 * 1024 * 1024 };

export class PostgresLayeredIndex {
  readonly #options: PostgresLayeredIndexOptions;
  #parts: IndexPart[] = [];
  #end: Head | undefined;
  #flushing: Promise<void> | undefined;
  #dueRows: number;
  /** The last one that is being written: what comes now goes into another. */
  #sealed: IndexPart | undefined;

  constructor(options: PostgresLayeredIndexOptions) {
    this.#options = options;
    this.#dueRows = options.tailRows;
  }

  /** Takes note of a batch. One that does not follow what is known is read again when it is needed. */
  add(entries: readonly IndexedEntry[], after: BatchEnd, head: Head): void {
    if (this.#end?.hash !== after.hash || this.#end.position !== after.position || entries.length === 0) return;
    const last = this.#parts.at(-1);
    if (last === undefined || last === this.#sealed || last.tail.rows() >= this.#options.tailRows / partsPerFlush) {
      const tail = createIndexTail();
      tail.add(entries);
      this.#parts.push({ tail, from: after, to: head });
    } else {
      last.tail.add(entries);
      this.#parts[this.#parts.length - 1] = { ...last, to: head };
    }
    this.#end = head;
    this.#flushIfDue();
  }

  /** What is known is of a history that is gone. */
  forget(): void {
    this.#parts = [];
    this.#end = undefined;
  }

  /** What the tails know of keys; undefined if they do not end at this head. */
  findKeysInMemory(scopes: readonly string[], at: BatchEnd): readonly (number | undefined)[] | undefined {
    if (this.#end?.hash !== at.hash || this.#end.position !== at.position) return undefined;
    return scopes.map((scope) => this.#findKeyInMemory(scope));
  }

  async findKeys(scopes: readonly string[]): Promise<readonly (number | undefined)[]> {
    for (;;) {
      const base = this.base;
      const { found } = await this.#ask(() => this.#options.store.findKeys(scopes));
      // What a flush has written meanwhile is in no tail any more, and this answer may be older than that: a key would
      // be missed, and its command executed again.
      if (this.base !== base) continue;
      return scopes.map((scope, index) => found[index] ?? this.#findKeyInMemory(scope));
    }
  }

  #findKeyInMemory(scope: string): number | undefined {
    for (const { tail } of this.#parts) {
      const position = tail.findKey(scope);
      if (position !== undefined) return position;
    }
    return undefined;
  }

  async findSubject(query: SubjectQuery): Promise<readonly number[]> {
    const { after = 0, before = Number.MAX_SAFE_INTEGER } = query;
    const remembered = this.#findInMemory(query, before);
    if (remembered !== undefined) return remembered;
    for (;;) {
      const base = this.base;
      // The tails answer for all that they hold, so that nothing is told twice.
      const stored = { ...query, after, before: Math.min(before, base + 1) };
      const { found } = await this.#ask(() => this.#options.store.findSubject(stored));
      if (this.base !== base) continue;
      return findInLayers(query, [
        { findSubject: ({ limit }) => found.slice(0, Math.max(0, limit)) },
        ...this.#parts.map(({ tail }) => tail),
      ]);
    }
  }

  /** What was asked about a path that was just in use: a question to the tables for each would cost more than the append. */
  #findInMemory(query: SubjectQuery, before: number): readonly number[] | undefined {
    if (before - 1 > this.#position) return undefined;
    const found = findInLayers(
      query,
      this.#parts.map(({ tail }) => tail),
    );
    const isWhole = this.base <= (query.after ?? 0) || (query.order === "newest-first" && found.length >= query.limit);
    return isWhole ? found : undefined;
  }

  /** Reads what is not known yet, up to the journal's head. */
  async catchUp(): Promise<void> {
    const { store, table } = this.#options;
    for (;;) {
      const after = (this.#end ??= await store.cover());
      const followed = await table.follow(after, page);
      if (followed.kind === "diverged") {
        if (this.#end === after) this.forget();
        continue;
      }
      // Appends of our own go on meanwhile; what they have added already is not added again.
      this.add(followed.entries, after, followed.head);
      const isThere = this.#position >= followed.head.position;
      if (isThere && (followed.isLast === true || followed.entries.length === 0)) return;
    }
  }

  async settled(): Promise<void> {
    await this.#flushing;
  }

  get #position(): number {
    return this.#end?.position ?? -1;
  }

  /** Everything up to here is in the tables, or there is none in memory. */
  get base(): number {
    return this.#parts[0]?.from.position ?? this.#end?.position ?? 0;
  }

  /** An answer of the tables that fits what is in memory. */
  async #ask<Answer extends IndexSnapshot>(ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      if (this.#end === undefined) await this.catchUp();
      const answer = await ask();
      this.#dropCovered(answer.cover);
      const end = this.#end;
      if (end !== undefined && end.position > answer.head.position) {
        // Our own append may have been faster than the question; if not, history went back.
        const followed = await this.#options.table.follow(end, { entries: 1, bytes: 1 });
        if (followed.kind === "followed") return answer;
        this.forget();
      } else if (end?.hash === answer.head.hash) return answer;
      else await this.catchUp();
    }
  }

  #dropCovered(cover: number): void {
    while (this.#parts[0] !== undefined && this.#parts[0].to.position <= cover) this.#parts.shift();
  }

  #flushIfDue(): void {
    if (this.#flushing !== undefined) return;
    const rows = this.#parts.reduce((sum, { tail }) => sum + tail.rows(), 0);
    if (rows < this.#dueRows) return;
    this.#flushing = this.#flush(rows).finally(() => {
      this.#flushing = undefined;
    });
  }

  async #flush(rows: number): Promise<void> {
    const { tailRows, flush, onError } = this.#options;
    this.#sealed = this.#parts.at(-1);
    try {
      const covered = await flush([...this.#parts]);
      if (covered !== undefined) this.#dropCovered(covered);
      // Somebody else is at it: looking again at once would only get in the way.
      this.#dueRows = covered === undefined ? rows + tailRows / partsPerFlush : tailRows;
    } catch (error) {
      this.#dueRows = rows + tailRows / partsPerFlush;
      onError(error);
    }
  }
}
