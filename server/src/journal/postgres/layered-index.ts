/**
 * The index in two layers. Tails in memory have the entries that the tables do not hold yet. Every node has the tails.
 * One node at a time writes them to the tables. An answer covers the journal as of the query to the tables. The index
 * first reads the batches that other nodes appended until then.
 */
import { createIndexTail, findInLayers } from "../index-tail.ts";
import type { Head, SubjectQuery } from "../journal.ts";
import type { BatchEnd } from "../sealed-batch.ts";
import type { IndexedEntry } from "../unseal.ts";
import type { PostgresBatchTable } from "./batch-table.ts";
import type { IndexPart } from "./flush-index.ts";
import type { PostgresIndexStore, IndexSnapshot } from "./index-store.ts";

interface PostgresLayeredIndexOptions {
  readonly store: PostgresIndexStore;
  readonly table: PostgresBatchTable;
  readonly tailRows: number;
  /** Writes parts to the tables. Returns the position that the tables cover afterwards, if it is known. */
  readonly flush: (parts: readonly IndexPart[]) => Promise<number | undefined>;
  readonly onError: (error: unknown) => void;
}

/** Parts into which the rows of one flush are split. A part is dropped once the tables cover it. */
const partsPerFlush = 4;
const page = { entries: 5_000, bytes: 8 * 1024 * 1024 };

export class PostgresLayeredIndex {
  readonly #options: PostgresLayeredIndexOptions;
  #parts: IndexPart[] = [];
  #end: Head | undefined;
  #flushing: Promise<void> | undefined;
  #dueRows: number;
  /** The last part that is being flushed. New entries go into another part. */
  #sealed: IndexPart | undefined;

  constructor(options: PostgresLayeredIndexOptions) {
    this.#options = options;
    this.#dueRows = options.tailRows;
  }

  /** Adds a batch. A batch that does not follow the end of the index is ignored, and read again when it is needed. */
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

  /** Drops the tails, because their history was lost. */
  clear(): void {
    this.#parts = [];
    this.#end = undefined;
  }

  /** Looks keys up in the tails. Returns undefined if the tails do not end at this head. */
  findKeysInMemory(scopes: readonly string[], at: BatchEnd): readonly (number | undefined)[] | undefined {
    if (this.#end?.hash !== at.hash || this.#end.position !== at.position) return undefined;
    return scopes.map((scope) => this.#findKeyInMemory(scope));
  }

  async findKeys(scopes: readonly string[]): Promise<readonly (number | undefined)[]> {
    for (;;) {
      const base = this.base;
      const { found } = await this.#query(() => this.#options.store.findKeys(scopes));
      // A concurrent flush moved rows from a tail to the tables, and this answer may predate it. A missed key would let
      // its command run again.
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
      // The tails answer for their range, so no position is returned twice.
      const stored = { ...query, after, before: Math.min(before, base + 1) };
      const { found } = await this.#query(() => this.#options.store.findSubject(stored));
      if (this.base !== base) continue;
      return findInLayers(query, [
        { findSubject: ({ limit }) => found.slice(0, Math.max(0, limit)) },
        ...this.#parts.map(({ tail }) => tail),
      ]);
    }
  }

  /** Answers from memory, as for a path that was used recently. A query to the tables would cost more than the append. */
  #findInMemory(query: SubjectQuery, before: number): readonly number[] | undefined {
    if (before - 1 > this.#position) return undefined;
    const found = findInLayers(
      query,
      this.#parts.map(({ tail }) => tail),
    );
    const isComplete =
      this.base <= (query.after ?? 0) || (query.order === "newest-first" && found.length >= query.limit);
    return isComplete ? found : undefined;
  }

  /** Reads the batches that are missing in the index, up to the journal's head. */
  async catchUp(): Promise<void> {
    const { store, table } = this.#options;
    for (;;) {
      const after = (this.#end ??= await store.cover());
      const followed = await table.follow(after, page);
      if (followed.kind === "diverged") {
        if (this.#end === after) this.clear();
        continue;
      }
      // Appends of this node run concurrently. Batches that they have added are not added again.
      this.add(followed.entries, after, followed.head);
      const isCurrent = this.#position >= followed.head.position;
      if (isCurrent && (followed.isLast === true || followed.entries.length === 0)) return;
    }
  }

  async settled(): Promise<void> {
    await this.#flushing;
  }

  get #position(): number {
    return this.#end?.position ?? -1;
  }

  /** The position after which the tails answer. The tables answer for entries up to it. */
  get base(): number {
    return this.#parts[0]?.from.position ?? this.#end?.position ?? 0;
  }

  /** Queries the tables until the answer is from the same history and head as the tails. */
  async #query<Answer extends IndexSnapshot>(query: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      if (this.#end === undefined) await this.catchUp();
      const answer = await query();
      this.#dropCovered(answer.cover);
      const end = this.#end;
      if (end !== undefined && end.position > answer.head.position) {
        // An append of this node may have overtaken the query. Otherwise the history was rolled back.
        const followed = await this.#options.table.follow(end, { entries: 1, bytes: 1 });
        if (followed.kind === "followed") return answer;
        this.clear();
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
      // Another node is flushing. An immediate retry would only compete with it.
      this.#dueRows = covered === undefined ? rows + tailRows / partsPerFlush : tailRows;
    } catch (error) {
      this.#dueRows = rows + tailRows / partsPerFlush;
      onError(error);
    }
  }
}
