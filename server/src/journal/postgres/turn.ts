/**
 * The turn at the head: an advisory lock in a transaction that does nothing else, on its own connection. Appends have their
 * own transactions, so a turn may cover several of them. Postgres grants the lock in the order of requests. The turn ends
 * with the connection. The server disconnects a node that idles in its turn for half a second.
 */
import type { Client } from "pg";
import { JournalError } from "../journal.ts";
import { mapError } from "./map-error.ts";
import { send, type PostgresSession, type Statement } from "./session.ts";

const lock: Statement = {
  name: "take_turn",
  text: "SELECT pg_advisory_xact_lock(hashtextextended('holdfast turn ' || $1, 0))",
};

/** One request for the turn. */
interface TurnRequest {
  /** The connection with the open transaction, once it is open. */
  client?: Client;
  isGranted: boolean;
}

export class AppendTurn {
  readonly #session: PostgresSession;
  readonly #space: string;
  #request: TurnRequest | undefined;

  constructor(session: PostgresSession, space: string) {
    this.#session = session;
    this.#space = space;
  }

  get isHeld(): boolean {
    const { client, isGranted } = this.#request ?? { isGranted: false };
    return isGranted && client !== undefined && this.#session.holds(client);
  }

  async take(): Promise<void> {
    this.end();
    const request: TurnRequest = { isGranted: false };
    this.#request = request;
    const client = await this.#session.ready();
    this.#refuseIfEnded(request);
    request.client = client;
    const answers = await Promise.allSettled([client.query("BEGIN"), send(client, lock, [this.#space])]);
    this.#refuseIfEnded(request);
    const failed = answers.find((answer) => answer.status === "rejected");
    if (failed !== undefined) {
      this.end();
      throw mapError(failed.reason, { sent: false });
    }
    request.isGranted = true;
  }

  /** Ends the turn without waiting for the answer. Postgres queues the next request for the turn behind it anyway. */
  end(): void {
    const { client, isGranted } = this.#request ?? { isGranted: false };
    this.#request = undefined;
    if (client === undefined || !this.#session.holds(client)) return;
    const drop = (): void => {
      this.#session.drop();
    };
    // Only a disconnect cancels a waiting request. A failed COMMIT also drops the connection, which ends the transaction.
    if (isGranted) client.query("COMMIT").catch(drop);
    else drop();
  }

  #refuseIfEnded(request: TurnRequest): void {
    if (this.#request !== request)
      throw new JournalError("busy", "The request for the turn was cancelled.", { certain: true });
  }
}
