/**
 * The journal in a Postgres database, shared by any number of nodes. The database orders and keeps; every node folds and
 * decides for itself.
 *
 * Truth is read from the primary only, through a session of one's own for appends, one for reads and one to listen. All
 * are made again when they are lost; what a lost one was doing is found out by reading on.
 */
import { erasureMarkText, readErasureMark } from "../erasure-mark.ts";
import { type Head, type Journal, JournalError } from "../journal.ts";
import { createAppend } from "./append.ts";
import { type PostgresBatchTable, createBatchTable } from "./batch-table.ts";
import { createPostgresCheckpoints } from "./checkpoints.ts";
import { erasePayload } from "./erase.ts";
import { flushIndex } from "./flush-index.ts";
import { PostgresForkWatch } from "./fork.ts";
import { PostgresIndexStore } from "./index-store.ts";
import { createIndexedAppend } from "./indexed-append.ts";
import { PostgresLayeredIndex } from "./layered-index.ts";
import { mapError } from "./map-error.ts";
import { readMetaOnSession, writeMeta } from "./meta-table.ts";
import { migrate } from "./migrate.ts";
import { type PostgresJournalOptions, type PostgresSettings, settingsOf } from "./options.ts";
import { readPage, readPositions } from "./read.ts";
import { SessionPool } from "./session-pool.ts";
import { AppendTurn } from "./turn.ts";
import { PeerWatch } from "./peer-watch.ts";

export async function openPostgresJournal(options: PostgresJournalOptions): Promise<Journal> {
  const settings = settingsOf(options);
  const fork = new PostgresForkWatch(settings.space);
  let isPrepared = false;
  const sessions = new SessionPool(settings, () => {
    const look = fork.begin();
    return async (facts, client) => {
      // The tables must be there before a server can be compared with what they say of it.
      if (!isPrepared) await migrate(client, settings.schema);
      isPrepared = true;
      await look(facts, client);
    };
  });
  try {
    await sessions.reader.ready();
    return await assemble(settings, sessions, fork);
  } catch (error) {
    await sessions.close();
    throw mapError(error, { sent: false });
  }
}

async function assemble(settings: PostgresSettings, sessions: SessionPool, fork: PostgresForkWatch): Promise<Journal> {
  const { space } = settings;
  const { reader, writer } = sessions;
  const table = createBatchTable(reader, space);
  const turn = new AppendTurn(sessions.turn, space);
  const isHeldBack = (): boolean => fork.isUntold;
  const appendBatch = createAppend({ session: writer, space, hasTurn: () => turn.isHeld, isHeldBack });
  const index = createIndex(settings, sessions, table);
  let known: Head | undefined;
  const onHead = (head: Head): void => {
    known = head;
  };
  const indexed = createIndexedAppend({ appendBatch, table, index, onHead });
  const wake = new PeerWatch({ settings, fork, knownHead: () => known });
  await wake.start();
  const building = index.catchUp().catch((error: unknown) => {
    settings.onError("the index of the journal could not be read yet", error);
  });
  let closing: Promise<void> | undefined;

  async function use<Result>(work: () => Promise<Result>): Promise<Result> {
    if (closing !== undefined) throw new JournalError("closed", "The journal is closed.", { certain: true });
    return work();
  }

  async function close(): Promise<void> {
    await wake.close();
    await sessions.close();
    await Promise.allSettled([building, index.settled()]);
  }

  return {
    head: () => use(() => table.head()),
    append: (batch, unproven = []) =>
      use(async () => {
        const appended = await indexed.append(batch, unproven);
        if (appended.kind === "appended") wake.notifyPeers();
        return appended;
      }),
    follow: (after, limit) => use(() => indexed.follow(after, limit)),
    read: (after, limit) => use(() => readPage(table, after, limit)),
    readAt: (positions) => use(() => readPositions(table, positions)),
    findKeys: (scopes) => use(() => index.findKeys(scopes)),
    findSubject: (query) => use(() => index.findSubject(query)),
    coordination: {
      takeTurn: () => use(() => turn.take()),
      endTurn: () => {
        turn.end();
        return Promise.resolve();
      },
      findKeysInMemory: (scopes, at) => index.findKeysInMemory(scopes, at),
      rank: () => wake.rank,
      clusterStatus: () => wake.status,
      onClusterStatus: (listener) => wake.onStatus(listener),
    },
    checkpoints: createPostgresCheckpoints({ space, reader, sessions }),
    erase: (position, by) => use(() => sessions.withClient((client) => erasePayload(client, space, { position, by }))),
    erasureMark: () => use(async () => readErasureMark(await readMetaOnSession(reader, space, "erasures"))),
    setErasureMark: (mark) =>
      use(() => sessions.withClient((client) => writeMeta(client, space, "erasures", erasureMarkText(mark)))),
    // Postgres has no cheaper place to move rows to; tablespaces and partitions are for whoever looks after the server.
    archive: () => Promise.resolve({ to: 0, batchCount: 0, segmentCount: 0 }),
    get forkReason() {
      return fork.tell();
    },
    settleFork: () => use(() => sessions.withClient((client) => fork.settle(client))),
    onWake: (listener) => wake.onWake(listener),
    close: () => (closing ??= close()),
  };
}

function createIndex(
  settings: PostgresSettings,
  sessions: SessionPool,
  table: PostgresBatchTable,
): PostgresLayeredIndex {
  return new PostgresLayeredIndex({
    store: new PostgresIndexStore(sessions.reader, settings.space),
    table,
    tailRows: settings.tailRows,
    flush: (parts) => sessions.withClient((client) => flushIndex(client, settings.space, parts)),
    onError: (error) => {
      settings.onError("the index of the journal could not be written; it is kept in memory until it can", error);
    },
  });
}
