/**
 * What comes in pages, one after the other. Whoever asks again before it was answered gets what comes after: a page is read
 * for one question at a time. Not a generator function: that would begin only with the first question.
 */
export function oneByOne<Item>(pages: AsyncIterableIterator<readonly Item[]>): AsyncIterableIterator<Item> {
  let page: Item[] = [];
  let isEnded = false;
  /** The question before the next one. */
  let before: Promise<unknown> = Promise.resolve();
  const readOn = async (): Promise<IteratorResult<Item, undefined>> => {
    while (!isEnded) {
      const item = page.shift();
      if (item !== undefined) return { done: false, value: item };
      const read = await pages.next();
      if (read.done === true) break;
      page = [...read.value];
    }
    return { done: true, value: undefined };
  };
  return {
    next() {
      const item = before.then(readOn);
      // One that failed was told so; it is no reason to answer the next one the same.
      before = item.catch(() => undefined);
      return item;
    },
    async return() {
      isEnded = true;
      page = [];
      // Not after the questions before it: these wait for what may never come, and end with this.
      await pages.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
