/** An item that waits for its batch. */
export interface BatchedItem<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (error: unknown) => void;
}

interface TurnBatchesOptions<Item, Result> {
  /** Maximum items of a batch. */
  readonly itemsMax: number;
  /** Calls back when the items of this turn are complete. */
  readonly soon: (callback: () => void) => void;
  /** Settles every item. It must not throw. */
  readonly send: (items: readonly BatchedItem<Item, Result>[]) => void;
}

/** Collects the items of one turn by group, so that one command carries those of a group. */
export class TurnBatches<Item, Result> {
  readonly #options: TurnBatchesOptions<Item, Result>;
  readonly #groups = new Map<string, BatchedItem<Item, Result>[]>();

  constructor(options: TurnBatchesOptions<Item, Result>) {
    this.#options = options;
  }

  add(group: string, item: Item): Promise<Result> {
    const { itemsMax, soon } = this.#options;
    return new Promise((resolve, reject) => {
      const items = this.#groups.get(group) ?? [];
      items.push({ item, resolve, reject });
      if (items.length === itemsMax) this.#send(group, items);
      else if (items.length === 1) {
        this.#groups.set(group, items);
        soon(() => {
          if (this.#groups.get(group) === items) this.#send(group, items);
        });
      }
    });
  }

  #send(group: string, items: readonly BatchedItem<Item, Result>[]): void {
    this.#groups.delete(group);
    this.#options.send(items);
  }
}
