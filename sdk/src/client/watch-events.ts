import type { Transport, WatchedEvent } from "./transport.ts";

export interface WatchOptions {
  /** Continue after this cursor; without it, start with what happens after this call. */
  readonly after?: string;
  /** Only events with one of these names, such as `evt.document.changed`. */
  readonly names?: readonly string[];
  /** Only events about this, such as `document/42`, or, with a slash at the end, about anything below it. */
  readonly subject?: string;
}

/** Not a generator function: that would reach the transport only when the first event is asked for. */
export function watchEvents(transport: Transport, options: WatchOptions): AsyncIterableIterator<WatchedEvent> {
  const { after, names, subject } = options;
  const pages = transport.watch(after === undefined ? {} : { after });
  const isWanted = (event: WatchedEvent): boolean =>
    (names === undefined || names.includes(event.name)) && (subject === undefined || isAbout(event.subject, subject));
  let page: WatchedEvent[] = [];
  return {
    async next() {
      for (;;) {
        const event = page.shift();
        if (event !== undefined) return { done: false, value: event };
        const read = await pages.next();
        if (read.done === true) return { done: true, value: undefined };
        page = read.value.filter(isWanted);
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

function isAbout(subject: string, wanted: string): boolean {
  return wanted.endsWith("/") ? subject.startsWith(wanted) : subject === wanted;
}
