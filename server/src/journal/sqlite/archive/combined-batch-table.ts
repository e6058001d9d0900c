import { genesis } from "../../seal.ts";
import { headOf } from "../../unseal.ts";
import type { SqliteBatchTable } from "../batch-table.ts";
import type { SegmentTable } from "./segment-table.ts";

/**
 * The batches of a journal in both stores: segments up to the end of the archive, the database after it. Rows of archived
 * batches may remain in the database. This table ignores them.
 */
export function createCombinedBatchTable(recent: SqliteBatchTable, archive: SegmentTable): SqliteBatchTable {
  const isArchived = (position: number): boolean => position >= 1 && position <= archive.end();
  return {
    head: () => recent.head(),
    holding: (position) => (isArchived(position) ? archive.holding(position) : recent.holding(position)),
    endBefore(first) {
      const last = archive.list().at(-1);
      if (!isArchived(first - 1)) return first <= 1 ? genesis : recent.endBefore(first);
      // Every read that continues after the archive needs the archive's end. No file is opened for it.
      return last?.last === first - 1 ? { position: last.last, hash: last.hash } : headOf(archive.holding(first - 1));
    },
    hashAt(position) {
      if (!isArchived(position)) return recent.hashAt(position);
      const last = archive.list().at(-1);
      const end = last?.last === position ? last : headOf(archive.holding(position));
      return "position" in end && end.position !== position ? undefined : end.hash;
    },
    *from(first) {
      const end = archive.end();
      if (first <= end) yield* archive.from(first);
      yield* recent.from(Math.max(first, end + 1));
    },
    startOf: (position) => (isArchived(position) ? archive.holding(position).first : recent.startOf(position)),
  };
}
