/**
 * The turn at the head: a lock in a transaction that does nothing else, on a connection of its own. Appends have their own
 * transactions, so a turn may last for several of them; Postgres serves those who wait in order. It goes with the
 * connection, and a node that falls asleep in it is cut off by the server after half a second.
 */
import type { Client } from "pg";
import { JournalError } from "../journal.ts";
import { mapError } from "./map-error.ts";
import { send, type PostgresSession, type Statement } from "./session.ts";

const lock: Statement = {
  name: "take_turn",
  text: "SELECT pg_advisory_xact_lock(hashtextextended('holdfast turn ' || $1, 0))",
};

/** One wish for the turn, from the moment at which it is asked for. */
interface TurnRequest {
  /** The connection with the open transaction, once there is one. */
  client?: Client;
  isGranted: boolean;
}

export class AppendTurn {
  readonly #session: PostgresSession;
  readonly #space: string;
  #wish: TurnRequest | undefined;

  constructor(session: PostgresSession, space: string) {
    this.#session = session;
    this.#space = space;
  }

  get isHeld(): boolean {
    const { client, isGranted } = this.#wish ?? { isGranted: false };
    return isGranted && client !== undefined && this.#session.holds(client);
  }

  async take(): Promise<void> {
    this.end();
    const wish: TurnRequest = { isGranted: false };
    this.#wish = wish;
    const client = await this.#session.ready();
    this.#refuseIfEnded(wish);
    wish.client = client;
    const answers = await Promise.allSettled([client.query("BEGIN"), send(client, lock, [this.#space])]);
    this.#refuseIfEnded(wish);
    const failed = answers.find((each) => each.status === "rejected");
    if (failed !== undefined) {
      this.end();
      throw mapError(failed.reason, { sent: false });
    }
    wish.isGranted = true;
  }

  /** Nobody waits for the answer: who asks for the next turn stands in line behind it anyway. */
  end(): void {
    const { client, isGranted } = this.#wish ?? { isGranted: false };
    this.#wish = undefined;
    if (client === undefined || !this.#session.holds(client)) return;
    const drop = (): void => {
      this.#session.drop();
    };
    // Only the end of the connection ends a wait. Whatever else is wrong with it ends the transaction too.
    if (isGranted) client.query("COMMIT").catch(drop);
    else drop();
  }

  #refuseIfEnded(wish: TurnRequest): void {
    if (this.#wish !== wish)
      throw new JournalError("busy", "The turn is not waited for any longer.", { certain: true });
  }
}
