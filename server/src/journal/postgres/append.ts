/**
 * Appends a batch: one row, one transaction, one round trip, and durable before the answer comes. The primary key is the
 * guard: two that follow the same predecessor insert the same first position, and the second one waits there for the first.
 *
 * What is known after a failure is kept exact. An error of a statement takes the transaction back: nothing was written.
 * A connection that was lost while the batch was under way says nothing: it may be there, or may still get there.
 */
import { type AppendResult, JournalError, type PageLimit } from "../journal.ts";
import type { SealedBatch } from "../sealed-batch.ts";
import { statements, toFollowed } from "./batch-table.ts";
import { isDuplicatePosition, isTransient, mapError } from "./map-error.ts";
import { type PostgresRow, send, type PostgresSession } from "./session.ts";

/** What a lost race brings of the entries that were missed; the rest is read on. */
const missedLimit: PageLimit = { entries: 5_000, bytes: 4 * 1024 * 1024 };
const attemptsMax = 3;

/** Keys that nobody must have used, by their hashes; those used after `from` are known here, and none of them is. */
export interface UnusedKeys {
  readonly hashes: readonly string[];
  readonly from: number;
}

export type PostgresAppend = (batch: SealedBatch, keys: UnusedKeys) => Promise<AppendResult>;

export interface AppendOptions {
  readonly session: PostgresSession;
  readonly space: string;
  /** True while this node has the turn. */
  readonly hasTurn: () => boolean;
  /** True while the server is another one than before and the engine does not know it. */
  readonly isHeldBack: () => boolean;
}

export function createAppend({ session, space, hasTurn, isHeldBack }: AppendOptions): PostgresAppend {
  async function attempt(batch: SealedBatch, keys: UnusedKeys): Promise<AppendResult> {
    const client = await session.ready();
    if (isHeldBack()) return { kind: "behind" };
    const values = [space, ...batchValues(batch), hasTurn(), `{${keys.hashes.join(",")}}`, keys.from];
    return toAppended(await send(client, statements.append, values), batch);
  }

  return async (batch, keys) => {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await attempt(batch, keys);
      } catch (error) {
        if (isDuplicatePosition(error)) return { kind: "behind" };
        if (!isTransient(error) || attempts === attemptsMax) throw mapError(error, { sent: true });
      }
    }
  };
}

function batchValues({ after, head, entries, lines }: SealedBatch): readonly unknown[] {
  const { entries: entriesMax, bytes } = missedLimit;
  const start = entries[0]?.time ?? head.time;
  const own = [entries.length, start, head.time, head.hash, lines];
  return [after.position, after.hash, ...own, entriesMax, bytes];
}

function toAppended(rows: readonly PostgresRow[], batch: SealedBatch): AppendResult {
  const [answer] = rows;
  if (answer === undefined) throw new JournalError("io", "Postgres: no answer to an append.", { certain: false });
  if (answer[0] === "appended" || answer[0] === "used") return { kind: answer[0] };
  // What was missed is read once it is this node's turn: until then there may be more.
  if (answer[0] === "turn") return { kind: "behind" };
  const missed = toFollowed(rows, batch.after);
  return missed.kind === "diverged" ? missed : { kind: "behind", missed };
}
