/** Writes the oldest batches of the database to a new segment of the archive. */
import { batchLine } from "../../batch-line.ts";
import { genesis } from "../../seal.ts";
import { damageError, headOf, type StoredBatch, unsealAll } from "../../unseal.ts";
import type { ArchiveParts } from "./archive-parts.ts";
import type { SqliteBatchTable } from "../batch-table.ts";
import { makeFolder } from "../folder/make-folder.ts";
import { mapFileError } from "../map-error.ts";
import { type BlockText, type Segment, writeSegmentFile } from "./segment-file.ts";
import { segmentName } from "./segment-name.ts";

/** Maximum size of a segment, reached at the end of a block, and size at which a block ends. */
const entriesPerSegment = 50_000;
const charactersPerSegment = 64 * 1024 * 1024;
const charactersPerBlock = 256 * 1024;

interface WrittenSegment {
  readonly segment: Segment;
  readonly batchCount: number;
}

/** Writes the next segment after the archive's end, from batches that end at or below `end`. There must be one. */
export async function writeSegment(parts: ArchiveParts, end: number): Promise<WrittenSegment> {
  const { segments, recent, throwIfClosing, yieldToLoop, step } = parts;
  const first = segments.end() + 1;
  const previous = segments.list().at(-1)?.hash ?? genesis.hash;
  let [position, hash, time] = [first - 1, previous, 0];
  let [batchCount, characters] = [0, 0];

  async function* texts(): AsyncGenerator<BlockText> {
    while (position < end && position - first + 1 < entriesPerSegment && characters < charactersPerSegment) {
      const start = position + 1;
      const batches = nextBlock(recent, start, end);
      for (const batch of batches) {
        // A damaged batch must not be archived. Its row stays, and the error names the position.
        unsealAll(batch, hash);
        ({ position, hash, time } = headOf(batch));
      }
      batchCount += batches.length;
      const text = batches.map((batch) => batchLine(batch) + "\n").join("");
      characters += text.length;
      yield { first: start, text };
      await yieldToLoop();
      throwIfClosing();
    }
  }

  try {
    makeFolder(segments.folder);
    const nameAtEnd = (): string => segmentName(first, position);
    const file = await writeSegmentFile(segments.folder, texts(), { nameAtEnd, step });
    return { segment: { first, last: position, time, previous, hash, ...file }, batchCount };
  } catch (error) {
    throw mapFileError(error, segments.folder);
  }
}

/** Whole batches from `first` on, enough for one block. The read is synchronous, because appends run between blocks. */
function nextBlock(recent: SqliteBatchTable, first: number, end: number): readonly StoredBatch[] {
  const batches: StoredBatch[] = [];
  let characters = 0;
  let next = first;
  for (const batch of recent.from(first)) {
    if (batch.first !== next) break;
    next += batch.count;
    if (next - 1 > end) break;
    batches.push(batch);
    characters += batch.lines.length;
    if (characters >= charactersPerBlock) break;
  }
  if (batches.length === 0) throw damageError(first, "chain", "the batch that starts here is missing");
  return batches;
}
