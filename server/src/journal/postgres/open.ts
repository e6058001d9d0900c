/**
 * The journal in a Postgres database, shared by any number of nodes. The database orders and stores. Every node folds and
 * decides for itself.
 *
 * All sessions connect to the primary: one for appends, one for reads, and one that listens. A lost session reconnects. To
 * learn the fate of its last statement, the node reads the entries after its head.
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
import { readMetaOnSession, writeMeta } from "./meta.ts";
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
    const checkFork = fork.begin();
    return async (server, client) => {
      // The tables must exist before the server is compared with the identity that they store.
      if (!isPrepared) await migrate(client, settings.schema);
      isPrepared = true;
      await checkFork(server, client);
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
  const isForkUnread = (): boolean => fork.isUnread;
  const appendBatch = createAppend({ session: writer, space, hasTurn: () => turn.isHeld, isForkUnread });
  const index = createIndex(settings, sessions, table);
  let knownHead: Head | undefined;
  const onHead = (head: Head): void => {
    knownHead = head;
  };
  const indexed = createIndexedAppend({ appendBatch, table, index, onHead });
  const peers = new PeerWatch({ settings, fork, knownHead: () => knownHead });
  await peers.start();
  const building = index.catchUp().catch((error: unknown) => {
    settings.onError("the index of the journal cannot be read; the next query retries", error);
  });
  let closing: Promise<void> | undefined;

  async function use<Result>(work: () => Promise<Result>): Promise<Result> {
    if (closing !== undefined) throw new JournalError("closed", "The journal is closed.", { certain: true });
    return work();
  }

  async function close(): Promise<void> {
    await peers.close();
    await sessions.close();
    await Promise.allSettled([building, index.settled()]);
  }

  return {
    head: () => use(() => table.head()),
    append: (batch, unproven = []) =>
      use(async () => {
        const appended = await indexed.append(batch, unproven);
        if (appended.kind === "appended") peers.notifyPeers();
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
      rank: () => peers.rank,
      clusterStatus: () => peers.status,
      onClusterStatus: (listener) => peers.onStatus(listener),
    },
    checkpoints: createPostgresCheckpoints({ space, reader, sessions }),
    erase: (position, by) => use(() => sessions.withClient((client) => erasePayload(client, space, { position, by }))),
    erasureMark: () => use(async () => readErasureMark(await readMetaOnSession(reader, space, "erasures"))),
    setErasureMark: (mark) =>
      use(() => sessions.withClient((client) => writeMeta(client, space, "erasures", erasureMarkText(mark)))),
    // Postgres has no cheaper storage for rows. Tablespaces and partitions are the operator's decision.
    archive: () => Promise.resolve({ to: 0, batchCount: 0, segmentCount: 0 }),
    get forkReason() {
      return fork.readReason();
    },
    settleFork: () => use(() => sessions.withClient((client) => fork.settle(client))),
    onWake: (listener) => peers.onWake(listener),
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
      settings.onError("the index of the journal cannot be written; it stays in memory until a flush succeeds", error);
    },
  });
}
