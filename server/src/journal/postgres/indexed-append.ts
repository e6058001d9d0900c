/** Keeps the index in step with what is appended and followed, and remembers the head that it led to. */
import type { Appended, Followed, Head, PageLimit } from "../journal.ts";
import type { SealedBatch } from "../sealed-batch.ts";
import type { AppendBatch } from "./append.ts";
import type { BatchTable } from "./batch-table.ts";
import { indexHash } from "./index-store.ts";
import type { LayeredIndex } from "./layered-index.ts";

export interface IndexedAppend {
  append(batch: SealedBatch, unproven: readonly string[]): Promise<Appended>;
  follow(after: Head, limit: PageLimit): Promise<Followed>;
}

export interface IndexedAppendParts {
  readonly appendBatch: AppendBatch;
  readonly table: BatchTable;
  readonly index: LayeredIndex;
  readonly onHead: (head: Head) => void;
}

export function createIndexedAppend({ appendBatch, table, index, onHead }: IndexedAppendParts): IndexedAppend {
  function note(after: Head, followed: Followed): Followed {
    if (followed.kind === "diverged") index.forget();
    else {
      index.add(followed.entries, after, followed.head);
      onHead(followed.head);
    }
    return followed;
  }

  return {
    async append(batch, unproven) {
      const appended = await appendBatch(batch, { hashes: unproven.map(indexHash), from: index.base });
      if (appended.kind === "appended") {
        index.add(batch.entries, batch.after, batch.head);
        onHead(batch.head);
      } else if (appended.kind === "diverged") index.forget();
      else if (appended.kind === "behind" && appended.missed !== undefined) note(batch.after, appended.missed);
      return appended;
    },
    follow: async (after, limit) => note(after, await table.follow(after, limit)),
  };
}
