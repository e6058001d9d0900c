/** The connections of a journal: one to append, one for its turns, one to read, one for each piece of longer work. */
import type { Client } from "pg";
import { mapError } from "./map-error.ts";
import type { Settings } from "./options.ts";
import { Session, type SessionOptions } from "./session.ts";

type OnConnect = SessionOptions["onConnect"];

const writerTimes = { statement: 10_000, lock: 5_000, idleInTransaction: 5_000 };
const readerTimes = { statement: 30_000, lock: 5_000, idleInTransaction: 5_000 };
const workTimes = { statement: 600_000, lock: 10_000, idleInTransaction: 60_000 };

export class Sessions {
  readonly writer: Session;
  /** Made when nodes meet. */
  readonly turn: Session;
  readonly reader: Session;
  readonly #settings: Settings;
  readonly #onConnect: OnConnect;
  readonly #open = new Set<Session>();
  #idle: Session | undefined;
  #isClosed = false;

  constructor(settings: Settings, onConnect: OnConnect) {
    this.#settings = settings;
    this.#onConnect = onConnect;
    this.writer = new Session(settings, { name: "writer", times: writerTimes, isDurable: true, onConnect });
    const turnTimes = { ...writerTimes, idleInTransaction: settings.turnMs };
    this.turn = new Session(settings, { name: "turn", times: turnTimes, isDurable: true, onConnect });
    this.reader = new Session(settings, { name: "reader", times: readerTimes, isDurable: true, onConnect });
  }

  /** A connection for one piece of work. It must be given back. */
  lend(): Session {
    const idle = this.#idle;
    this.#idle = undefined;
    if (idle?.isConnected === true) return idle;
    const session = new Session(this.#settings, {
      name: "work",
      times: workTimes,
      isDurable: true,
      onConnect: this.#onConnect,
      onLost: () => this.#open.delete(session),
    });
    this.#open.add(session);
    return session;
  }

  /** Takes back what was lent. A transaction that is still open ends with nothing. One is kept for the next work. */
  async giveBack(session: Session): Promise<void> {
    const isClean = session.isConnected && (await tryToRollBack(session));
    if (isClean && this.#idle === undefined && !this.#isClosed) {
      this.#idle = session;
      return;
    }
    this.#open.delete(session);
    await session.close();
  }

  /** Does one piece of work on a connection of its own. */
  async once<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const session = this.lend();
    try {
      return await work(await session.ready());
    } catch (error) {
      throw mapError(error, { sent: true });
    } finally {
      await this.giveBack(session);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.writer, this.turn, this.reader, ...this.#open].map((session) => session.close()));
  }
}

async function tryToRollBack(session: Session): Promise<boolean> {
  try {
    await (await session.ready()).query("ROLLBACK");
    return true;
  } catch {
    return false;
  }
}
