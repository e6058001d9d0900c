/**
 * Appends a batch: one row, one transaction, one round trip. The batch is durable before the answer arrives. The primary key
 * guards the head. Two appends after the same predecessor insert the same first position, and the second one waits for the
 * first.
 *
 * The certainty after a failure is exact. An error of a statement rolls the transaction back, so nothing was written. If the
 * connection is lost while the batch is in flight, the batch may be in the journal or may still arrive.
 */
import { type AppendResult, JournalError, type PageLimit } from "../journal.ts";
import type { SealedBatch } from "../sealed-batch.ts";
import { statements, toFollowed } from "./batch-table.ts";
import { isDuplicatePosition, isTransient, mapError } from "./map-error.ts";
import { type PostgresRow, send, type PostgresSession } from "./session.ts";

/** Maximum size of the missed entries that a lost race returns. The engine reads the rest afterwards. */
const missedLimit: PageLimit = { entries: 5_000, bytes: 4 * 1024 * 1024 };
/** Maximum attempts of an append that fails with a deadlock or a serialization failure. */
const attemptsMax = 3;

/** Hashes of keys that no entry may have used. The node has checked the entries after `from` in memory already. */
interface UnusedKeys {
  readonly hashes: readonly string[];
  readonly from: number;
}

export type PostgresAppend = (batch: SealedBatch, keys: UnusedKeys) => Promise<AppendResult>;

interface AppendOptions {
  readonly session: PostgresSession;
  readonly space: string;
  /** True while this node has the turn. */
  readonly hasTurn: () => boolean;
  /** True while a fork was detected that the engine has not read yet. */
  readonly isForkUnread: () => boolean;
}

export function createAppend({ session, space, hasTurn, isForkUnread }: AppendOptions): PostgresAppend {
  async function attempt(batch: SealedBatch, keys: UnusedKeys): Promise<AppendResult> {
    const client = await session.ready();
    if (isForkUnread()) return { kind: "behind" };
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
  if (answer === undefined) throw new JournalError("io", "Postgres returned no row for an append.", { certain: false });
  if (answer[0] === "appended" || answer[0] === "used") return { kind: answer[0] };
  // The missed entries are read once this node has the turn. Until then other nodes may append more.
  if (answer[0] === "turn") return { kind: "behind" };
  const missed = toFollowed(rows, batch.after);
  return missed.kind === "diverged" ? missed : { kind: "behind", missed };
}
