import type { Engine } from "../../engine/engine.ts";
import { JournalError } from "../../journal/journal.ts";
import type { Entry } from "../../machine/entry.ts";
import { isTree } from "../watch/entry-filter.ts";

const chunkSize = 100;

interface BackwardRange {
  readonly after: number;
  readonly before: number;
  readonly subject: string | undefined;
}

/** Entries from the newest to the oldest, in pages, on demand. The index finds those of one subject. */
export async function* entriesBack(engine: Engine, range: BackwardRange): AsyncGenerator<readonly Entry[], void> {
  const { after, subject } = range;
  const read =
    subject === undefined || isTree(subject)
      ? (before: number) => readBack(engine, before, Math.min(chunkSize, before - after - 1))
      : (before: number) => engine.entriesAbout({ subject, after, before, order: "newest-first", limit: chunkSize });
  let before = Math.min(range.before, engine.head.position + 1);
  while (before > after + 1) {
    const entries = await read(before);
    const last = entries.at(-1);
    if (last === undefined) return;
    yield entries;
    before = last.position;
  }
}

/** Entries in a missing archive segment are skipped, and newer ones are still shown. */
async function readBack(engine: Engine, before: number, count: number): Promise<readonly Entry[]> {
  const positions = Array.from({ length: count }, (_, index) => before - 1 - index);
  try {
    return await engine.entriesAt(positions);
  } catch (error) {
    if (!isArchived(error) || count <= 1) throw error;
    return readBack(engine, before, Math.floor(count / 2));
  }
}

/** The first position at or after a time; one after the head if there is none. */
export async function positionAtTime(engine: Engine, timeMs: number): Promise<number> {
  let low = 1;
  let high = engine.head.position + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isOlder(engine, middle, timeMs)) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function isOlder(engine: Engine, position: number, timeMs: number): Promise<boolean> {
  try {
    const [entry] = await engine.entriesAt([position]);
    return entry !== undefined && entry.time < timeMs;
  } catch (error) {
    // Archived entries are older than all others.
    if (isArchived(error)) return true;
    throw error;
  }
}

function isArchived(error: unknown): boolean {
  return error instanceof JournalError && error.code === "archived";
}
