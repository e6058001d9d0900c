/** The connections of a journal: one for appends, one for turns, one for reads, and one for each longer task. */
import type { Client } from "pg";
import { mapError } from "./map-error.ts";
import type { PostgresSettings } from "./options.ts";
import { PostgresSession, type PostgresSessionOptions } from "./session.ts";

type OnConnect = PostgresSessionOptions["onConnect"];

const writerTimeouts = { statement: 10_000, lock: 5_000, idleInTransaction: 5_000 };
const readerTimeouts = { statement: 30_000, lock: 5_000, idleInTransaction: 5_000 };
const workTimeouts = { statement: 600_000, lock: 10_000, idleInTransaction: 60_000 };

export class SessionPool {
  readonly writer: PostgresSession;
  /** Connects when nodes first compete for the head. */
  readonly turn: PostgresSession;
  readonly reader: PostgresSession;
  readonly #settings: PostgresSettings;
  readonly #onConnect: OnConnect;
  readonly #open = new Set<PostgresSession>();
  #idle: PostgresSession | undefined;
  #isClosed = false;

  constructor(settings: PostgresSettings, onConnect: OnConnect) {
    this.#settings = settings;
    this.#onConnect = onConnect;
    this.writer = new PostgresSession(settings, {
      name: "writer",
      timeouts: writerTimeouts,
      isDurable: true,
      onConnect,
    });
    const turnTimeouts = { ...writerTimeouts, idleInTransaction: settings.turnMs };
    this.turn = new PostgresSession(settings, { name: "turn", timeouts: turnTimeouts, isDurable: true, onConnect });
    this.reader = new PostgresSession(settings, {
      name: "reader",
      timeouts: readerTimeouts,
      isDurable: true,
      onConnect,
    });
  }

  /** Returns a connection for one task. The caller must release it. */
  checkOut(): PostgresSession {
    const idle = this.#idle;
    this.#idle = undefined;
    if (idle?.isConnected === true) return idle;
    const session = new PostgresSession(this.#settings, {
      name: "work",
      timeouts: workTimeouts,
      isDurable: true,
      onConnect: this.#onConnect,
      onLost: () => this.#open.delete(session),
    });
    this.#open.add(session);
    return session;
  }

  /** Releases a connection and rolls back its open transaction. One connection is kept for the next task. */
  async release(session: PostgresSession): Promise<void> {
    const isClean = session.isConnected && (await tryToRollBack(session));
    if (isClean && this.#idle === undefined && !this.#isClosed) {
      this.#idle = session;
      return;
    }
    this.#open.delete(session);
    await session.close();
  }

  /** Runs one task on its own connection. */
  async withClient<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const session = this.checkOut();
    try {
      return await work(await session.ready());
    } catch (error) {
      throw mapError(error, { sent: true });
    } finally {
      await this.release(session);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.writer, this.turn, this.reader, ...this.#open].map((session) => session.close()));
  }
}

async function tryToRollBack(session: PostgresSession): Promise<boolean> {
  try {
    await (await session.ready()).query("ROLLBACK");
    return true;
  } catch {
    return false;
  }
}
