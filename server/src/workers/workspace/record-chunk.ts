/** The records of one command. A command may have 1 MiB and 100,000 values, and every value has two characters or more. */
const sizeMax = 190_000;
/** Maximum records of one command. */
const recordsMax = 200;

export class RecordChunk<Item> {
  #items: Item[] = [];
  #size = 0;

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  /** True if a record whose JSON has this length fits. A chunk has one record at least: any single one fits into a command. */
  hasRoomFor(length: number): boolean {
    return this.isEmpty || (this.#items.length < recordsMax && this.#size + length <= sizeMax);
  }

  add(item: Item, length: number): void {
    this.#items.push(item);
    this.#size += length;
  }

  /** The records so far. The chunk is empty then. */
  take(): readonly Item[] {
    const items = this.#items;
    this.#items = [];
    this.#size = 0;
    return items;
  }
}
