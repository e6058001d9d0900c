/** Adds appended and followed batches to the index, and reports the resulting head. */
import type { AppendResult, FollowResult, Head, PageLimit } from "../journal.ts";
import type { SealedBatch } from "../sealed-batch.ts";
import type { PostgresAppend } from "./append.ts";
import type { PostgresBatchTable } from "./batch-table.ts";
import { indexHash } from "../index-hash.ts";
import type { PostgresLayeredIndex } from "./layered-index.ts";

interface PostgresIndexedAppend {
  append(batch: SealedBatch, unproven: readonly string[]): Promise<AppendResult>;
  follow(after: Head, limit: PageLimit): Promise<FollowResult>;
}

interface IndexedAppendParts {
  readonly appendBatch: PostgresAppend;
  readonly table: PostgresBatchTable;
  readonly index: PostgresLayeredIndex;
  readonly onHead: (head: Head) => void;
}

export function createIndexedAppend({ appendBatch, table, index, onHead }: IndexedAppendParts): PostgresIndexedAppend {
  function note(after: Head, followed: FollowResult): FollowResult {
    if (followed.kind === "diverged") index.clear();
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
      } else if (appended.kind === "diverged") index.clear();
      else if (appended.kind === "behind" && appended.missed !== undefined) note(batch.after, appended.missed);
      return appended;
    },
    follow: async (after, limit) => note(after, await table.follow(after, limit)),
  };
}
