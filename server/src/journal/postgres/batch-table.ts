/** The table of batches: every statement that reads it, and the decoding of its rows. */
import type { FollowResult, Head, PageLimit } from "../journal.ts";
import { createBatchPage } from "../entry-page.ts";
import { genesis } from "../seal.ts";
import type { BatchEnd } from "../sealed-batch.ts";
import { headOf, type StoredBatch } from "../unseal.ts";
import type { PostgresRow, PostgresSession, Statement } from "./session.ts";

const ends = "SELECT first, count, time, previous, hash FROM batches WHERE space = $1";
const whole = "SELECT first, count, time, previous, hash, lines FROM batches WHERE space = $1";

export const statements = {
  head: { name: "head", text: `${ends} ORDER BY first DESC LIMIT 1` },
  below: { name: "below", text: `${ends} AND first <= $2 ORDER BY first DESC LIMIT 1` },
  holding: { name: "holding", text: `${whole} AND first <= $2 ORDER BY first DESC LIMIT 1` },
  from: { name: "from", text: `${whole} AND first >= $2 ORDER BY first LIMIT $3` },
  follow: { name: "follow", text: "SELECT * FROM follow_batches($1, $2, $3, $4, $5)" },
  append: {
    name: "append",
    text: "SELECT * FROM append_batch($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::uuid[], $13)",
  },
} as const satisfies Readonly<Record<string, Statement>>;

/** Batches per query of an iteration whose length is unknown. */
const batchesPerFetch = 64;

export interface PostgresBatchTable {
  head(): Promise<Head>;
  /** The batch that holds a position, and the end of the batch before it. */
  holding(position: number): Promise<{ readonly stored: StoredBatch; readonly previous: BatchEnd } | undefined>;
  /** The end of the last batch before `first`. The batch that starts at `first` must chain to it. */
  endBefore(first: number): Promise<BatchEnd>;
  /** The batches that start at `first` or later, in order. */
  from(first: number): AsyncIterable<StoredBatch>;
  /** The first position of the batch that holds a position, or the position itself if no batch holds it. */
  startOf(position: number): Promise<number>;
  follow(after: Head, limit: PageLimit): Promise<FollowResult>;
}

export function createBatchTable(session: PostgresSession, space: string): PostgresBatchTable {
  async function below(position: number): Promise<Omit<StoredBatch, "lines"> | undefined> {
    const [row] = await session.run(statements.below, [space, position]);
    return row === undefined ? undefined : toBatch(row);
  }

  async function endBefore(first: number): Promise<BatchEnd> {
    const end = await below(first - 1);
    return end === undefined ? genesis : headOf(end);
  }

  return {
    async head() {
      const [row] = await session.run(statements.head, [space]);
      return row === undefined ? genesis : headOf(toBatch(row));
    },
    async holding(position) {
      const [row] = await session.run(statements.holding, [space, position]);
      const stored = row === undefined ? undefined : toBatch(row);
      if (stored === undefined || position >= stored.first + stored.count) return undefined;
      return { stored, previous: await endBefore(stored.first) };
    },
    endBefore,
    async *from(first) {
      for (let next = first; ;) {
        const rows = await session.run(statements.from, [space, next, batchesPerFetch]);
        for (const row of rows) {
          const batch = toBatch(row);
          next = batch.first + batch.count;
          yield batch;
        }
        if (rows.length < batchesPerFetch) return;
      }
    },
    async startOf(position) {
      const end = await below(position);
      return end !== undefined && position < end.first + end.count ? end.first : position;
    },
    follow: async (after, limit) =>
      toFollowed(await session.run(statements.follow, followValues(space, after, limit)), after),
  };
}

function followValues(space: string, after: Head, limit: PageLimit): readonly unknown[] {
  return [space, after.position, after.hash, limit.entries, limit.bytes];
}

/** Decodes and verifies the rows of follow_batches. */
export function toFollowed([answer, ...rows]: readonly PostgresRow[], after: Head): FollowResult {
  if (answer?.[0] === "diverged") return { kind: "diverged" };
  const page = createBatchPage(after, { entries: Infinity, bytes: Infinity });
  for (const row of rows) page.add(toBatch(row.slice(1)));
  const head = page.head();
  const isLast = head.position >= Number(answer?.[1]) ? true : undefined;
  return { kind: "followed", entries: page.entries, head, isLast };
}

/** The client returns 64-bit numbers as text. All of these are below 2^53, so the conversion is exact. */
function toBatch([first, count, time, previous, hash, lines]: PostgresRow): StoredBatch {
  return {
    first: Number(first),
    count: Number(count),
    time: Number(time),
    previous: String(previous),
    hash: String(hash),
    lines: String(lines),
  };
}
