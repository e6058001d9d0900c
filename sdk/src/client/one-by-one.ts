/** What comes in pages, one after the other. Not a generator function: that would begin only with the first question. */
export function oneByOne<Item>(pages: AsyncIterableIterator<readonly Item[]>): AsyncIterableIterator<Item> {
  let page: Item[] = [];
  return {
    async next() {
      for (;;) {
        const item = page.shift();
        if (item !== undefined) return { done: false, value: item };
        const read = await pages.next();
        if (read.done === true) return { done: true, value: undefined };
        page = [...read.value];
      }
    },
    async return() {
      page = [];
      await pages.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
