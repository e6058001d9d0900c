import type { Entry } from "../machine/entry.ts";
import { engineLimits } from "./limits.ts";

/**
 * The newest entries, in memory, without gaps up to the head: live subscribers and replays of a moment ago read from
 * here. It is bounded in entries and in bytes; whoever is further behind reads from the journal.
 */
export class RecentEntries {
  #entries: Entry[] = [];
  #bytes: number[] = [];
  #bytesSum = 0;
  /** The last page that somebody took, until there are newer entries. */
  #page: { readonly position: number; readonly limit: number; readonly entries: readonly Entry[] } | undefined;

  /** `bytes` is about how large the batch is as text. */
  push(entries: readonly Entry[], bytes: number): void {
    const each = bytes / entries.length;
    this.#page = undefined;
    for (const entry of entries) {
      this.#entries.push(entry);
      this.#bytes.push(each);
    }
    this.#bytesSum += bytes;
    // Twice the bound before it is cut, so that cutting costs nothing per entry.
    if (this.#entries.length > 2 * engineLimits.recentEntriesMax || this.#bytesSum > 2 * engineLimits.recentBytesMax) {
      this.#cut();
    }
  }

  clear(): void {
    this.#page = undefined;
    this.#entries = [];
    this.#bytes = [];
    this.#bytesSum = 0;
  }

  at(position: number): Entry | undefined {
    const first = this.#entries[0];
    return first === undefined ? undefined : this.#entries[position - first.position];
  }

  /** Puts another one in the place of the entry at its position. */
  put(entry: Entry): void {
    const first = this.#entries[0];
    const index = entry.position - (first?.position ?? Infinity);
    if (!(index in this.#entries)) return;
    this.#page = undefined;
    this.#entries[index] = entry;
  }

  /**
   * Entries after a position; undefined if they are not all here. All who keep up ask for the same ones and get the same
   * array, so that what is made of it can be made once.
   */
  after(position: number, limit: number): readonly Entry[] | undefined {
    if (this.#page?.position === position && this.#page.limit === limit) return this.#page.entries;
    const first = this.#entries[0];
    if (first === undefined || position + 1 < first.position) return undefined;
    const start = position + 1 - first.position;
    const entries = this.#entries.slice(start, start + limit);
    this.#page = { position, limit, entries };
    return entries;
  }

  #cut(): void {
    let keep = 0;
    let bytes = 0;
    while (keep < engineLimits.recentEntriesMax && bytes < engineLimits.recentBytesMax) {
      const size = this.#bytes.at(-1 - keep);
      if (size === undefined) break;
      bytes += size;
      keep += 1;
    }
    this.#entries = this.#entries.slice(-keep);
    this.#bytes = this.#bytes.slice(-keep);
    this.#bytesSum = bytes;
  }
}
