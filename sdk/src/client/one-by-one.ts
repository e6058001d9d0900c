import { callRefusal } from "./call-refusal.ts";
import { replyToClient } from "./data/input-to-wire.ts";
import { HoldfastError } from "./holdfast-error.ts";

/**
 * Flattens pages into single items. Concurrent `next` calls are answered in order: one page is read at a time. Not a
 * generator function, which would start only at the first `next`. A refusal becomes a HoldfastError.
 */
export function oneByOne<Item>(pages: AsyncIterableIterator<readonly Item[]>): AsyncIterableIterator<Item> {
  let page: Item[] = [];
  let isEnded = false;
  /** The preceding `next` call. */
  let preceding: Promise<unknown> = Promise.resolve();
  const readNext = async (): Promise<IteratorResult<Item, undefined>> => {
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
      const item = preceding.then(readNext).catch(rethrow);
      // A failed call was reported to its caller. The next one is answered on its own.
      preceding = item.catch(() => undefined);
      return item;
    },
    async return() {
      isEnded = true;
      page = [];
      // Not queued behind earlier calls: they may wait forever, and `return` ends them.
      await pages.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function rethrow(error: unknown): never {
  if (!(error instanceof HoldfastError)) throw error;
  const { outcome } = replyToClient("watch", callRefusal(error.code, error.data));
  throw new HoldfastError("watch", error.code, { data: outcome.data as HoldfastError["data"] });
}
