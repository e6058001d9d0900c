/** The same pages with each item mapped. */
export function mapPages<Item, Mapped>(
  pages: AsyncIterableIterator<readonly Item[]>,
  map: (item: Item) => Mapped,
): AsyncIterableIterator<readonly Mapped[]> {
  return {
    async next() {
      const page = await pages.next();
      return page.done === true ? { done: true, value: undefined } : { done: false, value: page.value.map(map) };
    },
    async return() {
      await pages.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
