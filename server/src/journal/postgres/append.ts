/**
 * Appends a batch: one row, one transaction, and durable before the answer comes.
 *
 * A node that appends alone needs one round trip. One that meets others takes its turn first: a transaction with a lock,
 * whose answer brings what was missed; then it decides, and appends in the same transaction. So it can't lose again, and
 * a slower node gets its share. Every append takes the same lock, so nobody gets in between.
 *
 * What is known after a failure is kept exact. An error of a statement takes the transaction back: nothing was written.
 * A connection that was lost while the batch was under way says nothing: it may be there, or may still get there.
 */
import type { Client } from "pg";
import { type Appended, type Followed, type Head, JournalError, type PageLimit } from "../journal.ts";
import type { SealedBatch } from "../sealed-batch.ts";
import { followValues, statements, toFollowed } from "./batch-table.ts";
import { isTaken, isTransient, mapError } from "./map-error.ts";
import { type Row, send, type Session } from "./session.ts";

/** What a lost race brings of the entries that were missed; the rest is read on. */
const missedLimit: PageLimit = { entries: 5_000, bytes: 4 * 1024 * 1024 };
const attemptsMax = 3;

export interface Appender {
  append(batch: SealedBatch): Promise<Appended>;
  takeTurn(after: Head, limit: PageLimit): Promise<Followed>;
  endTurn(): Promise<void>;
}

export interface AppenderOptions {
  readonly session: Session;
  readonly space: string;
  /** True while the server is another one than before and the engine does not know it. */
  readonly isHeldBack: () => boolean;
}

export function createAppender({ session, space, isHeldBack }: AppenderOptions): Appender {
  /** The connection with the open transaction, while this node has the turn. */
  let turn: Client | undefined;

  async function attempt(batch: SealedBatch): Promise<readonly Row[] | undefined> {
    const mine = turn;
    turn = undefined;
    const client = await session.ready();
    if (isHeldBack()) {
      if (mine === client) await rollBack(session, client);
      return undefined;
    }
    // Lost with its connection: the lock is gone, and the append is a plain one again.
    const inTurn = mine === client;
    try {
      return await (inTurn ? appendInTurn(client, batch) : send(client, statements.append, appendValues(space, batch)));
    } catch (error) {
      if (isTransient(error) || isTaken(error)) throw error;
      throw mapError(error, { sent: true });
    }
  }

  async function appendInTurn(client: Client, batch: SealedBatch): Promise<readonly Row[]> {
    const appending = send(client, statements.append, appendValues(space, batch));
    const committing = client.query("COMMIT");
    const [appended, committed] = await Promise.allSettled([appending, committing]);
    if (appended.status === "rejected") throw appended.reason;
    if (committed.status === "rejected") throw committed.reason;
    return appended.value;
  }

  return {
    async append(batch) {
      for (let attempts = 1; ; attempts += 1) {
        try {
          const rows = await attempt(batch);
          return rows === undefined ? { kind: "behind" } : toAppended(rows, batch);
        } catch (error) {
          if (isTaken(error)) return { kind: "behind" };
          if (!isTransient(error) || attempts === attemptsMax) throw mapError(error, { sent: true });
        }
      }
    },
    async takeTurn(after, limit) {
      const client = await session.ready();
      const beginning = client.query("BEGIN");
      const taking = send(client, statements.takeTurn, followValues(space, after, limit));
      const [began, taken] = await Promise.allSettled([beginning, taking]);
      if (began.status === "rejected" || taken.status === "rejected") {
        await rollBack(session, client);
        throw mapError(began.status === "rejected" ? began.reason : (taken as PromiseRejectedResult).reason, {
          sent: false,
        });
      }
      turn = client;
      return toFollowed(taken.value, after);
    },
    async endTurn() {
      const mine = turn;
      turn = undefined;
      if (mine !== undefined) await rollBack(session, mine);
    },
  };
}

/** Whatever is wrong with the connection ends the transaction too. */
async function rollBack(session: Session, client: Client): Promise<void> {
  try {
    await client.query("ROLLBACK");
  } catch {
    session.drop();
  }
}

function appendValues(space: string, { after, head, entries, lines }: SealedBatch): readonly unknown[] {
  const { entries: entriesMax, bytes } = missedLimit;
  const start = entries[0]?.time ?? head.time;
  const own = [entries.length, start, head.time, head.hash, lines];
  return [space, after.position, after.hash, ...own, entriesMax, bytes];
}

function toAppended(rows: readonly Row[], batch: SealedBatch): Appended {
  const [answer] = rows;
  if (answer === undefined) throw new JournalError("io", "Postgres: no answer to an append.", { certain: false });
  if (answer[0] === "appended") return { kind: "appended" };
  const missed = toFollowed(rows, batch.after);
  return missed.kind === "diverged" ? missed : { kind: "behind", missed };
}
