import type { WatchFilter } from "../contract/watch-filter.ts";
import type { Transport, WatchedEvent } from "./transport.ts";

export interface WatchOptions extends WatchFilter {
  /** Continue after this cursor; without it, start with what happens after this call. */
  readonly after?: string;
}

/** Not a generator function: that would reach the transport only when the first event is asked for. */
export function watchEvents(transport: Transport, options: WatchOptions): AsyncIterableIterator<WatchedEvent> {
  const pages = transport.watch(options);
  let page: WatchedEvent[] = [];
  return {
    async next() {
      for (;;) {
        const event = page.shift();
        if (event !== undefined) return { done: false, value: event };
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
