import { type IndexBuilder, openIndexBuilder } from "../../server/src/journal/sqlite/index/index-builder.ts";
import type { IndexThread } from "../../server/src/journal/sqlite/index/index-thread.ts";

/** Does the work of the index thread in the thread of the test. Each start of a thread costs as much as several tests. */
export function openInlineIndexThread(folder: string): IndexThread {
  let builder: IndexBuilder | undefined;

  function opened(): IndexBuilder {
    if (builder !== undefined) return builder;
    builder = openIndexBuilder(folder);
    for (const _step of builder.fillFilter());
    return builder;
  }

  return {
    start: () => void opened(),
    async flush(target) {
      await Promise.resolve();
      opened().flush(target);
    },
    keepAlive: (flush) => flush,
    filter: () => builder?.filter,
    close: () => {
      builder?.close();
      builder = undefined;
      return Promise.resolve();
    },
  };
}
