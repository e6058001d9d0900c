import type { Entry } from "../machine/entry.ts";
import { engineLimits } from "./limits.ts";

/**
 * The newest entries, in memory, without gaps up to the head. Live subscribers and replays of recent keys read from here.
 * The number of entries and their bytes are limited. A subscriber that is further behind reads from the journal.
 */
export class RecentEntries {
  #entries: Entry[] = [];
  #bytes: number[] = [];
  #bytesSum = 0;
  /** The last page that was read, until newer entries arrive. */
  #page: { readonly position: number; readonly limit: number; readonly entries: readonly Entry[] } | undefined;

  /** Adds the entries of a batch. `bytes` is the approximate size of the batch as text. */
  push(entries: readonly Entry[], bytes: number): void {
    const bytesPerEntry = bytes / entries.length;
    this.#page = undefined;
    for (const entry of entries) {
      this.#entries.push(entry);
      this.#bytes.push(bytesPerEntry);
    }
    this.#bytesSum += bytes;
    // The list is cut at twice the limit, so the amortized cost per entry is constant.
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

  /** Replaces the entry at the same position. */
  put(entry: Entry): void {
    const first = this.#entries[0];
    const index = entry.position - (first?.position ?? Infinity);
    if (!(index in this.#entries)) return;
    this.#page = undefined;
    this.#entries[index] = entry;
  }

  /**
   * Entries after a position, or undefined if not all of them are in memory. Subscribers at the same position get the same
   * array, so a result that is derived from it can be cached by identity.
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
