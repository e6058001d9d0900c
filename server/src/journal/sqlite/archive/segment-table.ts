/** The recorded segments of the archive, and the batches in them. */
import type { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { damageError, type StoredBatch } from "../../unseal.ts";
import { type Block, readBlock, type Segment } from "./segment-file.ts";
import { readSegmentRow, type SegmentColumns } from "./segment-row.ts";

export interface SegmentTable {
  readonly folder: string;
  list(): readonly Segment[];
  /** The last archived position. */
  end(): number;
  /** Adds a segment, or replaces the file of a segment. */
  put(segment: Segment): void;
  /** Reads the list again, after a change or by another process. */
  refresh(): void;
  segmentOf(position: number): Segment | undefined;
  /** The batch that holds a position. The position must be archived. */
  holding(position: number): StoredBatch;
  /** The archived batches that start at `first` or later, in order. */
  from(first: number): Iterable<StoredBatch>;
}

export function createSegmentTable(database: DatabaseSync, dataFolder: string): SegmentTable {
  const folder = join(dataFolder, "archive");
  const select = database.prepare("SELECT * FROM segments ORDER BY first");
  const insert = database.prepare(
    `INSERT OR REPLACE INTO segments (first, last, time, previous, hash, file, sha256, bytes, blocks)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  let segments = load();
  /** The last block that was read. Successive reads are often in one block. */
  let cached: { readonly file: string; readonly block: Block; readonly batches: readonly StoredBatch[] } | undefined;

  function load(): readonly Segment[] {
    return select.all().map((row) => readSegmentRow(row as unknown as SegmentColumns));
  }

  function batchesOf(segment: Segment, block: Block): readonly StoredBatch[] {
    if (cached?.file === segment.file && cached.block[0] === block[0]) return cached.batches;
    const batches = readBlock(folder, segment, block);
    cached = { file: segment.file, block, batches };
    return batches;
  }

  const segmentOf = (position: number): Segment | undefined =>
    segments.find(({ first, last }) => first <= position && position <= last);

  return {
    folder,
    list: () => segments,
    end: () => segments.at(-1)?.last ?? 0,
    put: (segment) => {
      const { first, last, time, previous, hash, file, sha256, bytes, blocks } = segment;
      insert.run(first, last, time, previous, hash, file, sha256, bytes, JSON.stringify(blocks));
    },
    refresh: () => {
      segments = load();
      cached = undefined;
    },
    segmentOf,
    holding(position) {
      const segment = segmentOf(position);
      const block = segment?.blocks.findLast(([first]) => first <= position);
      if (segment === undefined || block === undefined) throw missingSegment(position);
      const batch = batchesOf(segment, block).find(({ first, count }) => first <= position && position < first + count);
      if (batch === undefined)
        throw damageError(position, "chain", `the archive file ${segment.file} does not hold it`);
      return batch;
    },
    *from(first) {
      for (const segment of segments) {
        for (const [index, block] of segment.blocks.entries()) {
          const end = segment.blocks[index + 1]?.[0] ?? segment.last + 1;
          if (end <= first) continue;
          for (const batch of batchesOf(segment, block)) if (batch.first >= first) yield batch;
        }
      }
    },
  };
}

function missingSegment(position: number): Error {
  return damageError(position, "chain", "neither the journal nor a recorded segment of the archive holds it");
}
