/**
 * One connection, made when it is needed and again after it was lost. What a connection was doing when it was lost is
 * not known and never sent again from here: that is for the engine to find out.
 */
import { Client } from "pg";
import { JournalError } from "../journal.ts";
import { checkServer, type ServerIdentity } from "./check-server.ts";
import { mapError } from "./map-error.ts";
import type { PostgresSettings } from "./options.ts";

/** Times in milliseconds. Without them a dead network, or a node that sleeps in its turn, would stop everybody. */
export interface SessionTimeouts {
  readonly statement: number;
  readonly lock: number;
  readonly idleInTransaction: number;
}

export interface PostgresSessionOptions {
  readonly name: string;
  readonly timeouts: SessionTimeouts;
  /** A session that only makes noise need not wait for the disk. */
  readonly isDurable: boolean;
  /**
   * Called for every new connection, before the server is asked what it is; what it returns hears the answer, before the
   * connection is used. It may refuse by throwing.
   */
  readonly onConnect: () => OnServerIdentity;
  readonly onNotify?: (message: string, sender: number) => void;
  readonly onLost?: () => void;
}

export type OnServerIdentity = (facts: ServerIdentity, client: Client) => Promise<void>;

/** A statement that is prepared once for each connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export type PostgresRow = readonly unknown[];

const connectTimeoutMs = 5_000;
/** The server ends a statement by itself; this is for a server that does not answer any more. */
const replyMarginMs = 2_000;

export class PostgresSession {
  readonly #settings: PostgresSettings;
  readonly #options: PostgresSessionOptions;
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;
  #isClosed = false;

  constructor(settings: PostgresSettings, options: PostgresSessionOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  /** Whether this connection is still the one. */
  holds(client: Client): boolean {
    return this.#client === client;
  }

  /** The connection, ready to be used. Whoever gets this far without an error has sent nothing yet. */
  async ready(): Promise<Client> {
    if (this.#isClosed) throw new JournalError("closed", "The journal is closed.", { certain: true });
    if (this.#client !== undefined) return this.#client;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    try {
      return await this.#connecting;
    } catch (error) {
      throw mapError(error, { sent: false });
    }
  }

  async run(statement: Statement, values: readonly unknown[]): Promise<readonly PostgresRow[]> {
    const client = await this.ready();
    try {
      return await send(client, statement, values);
    } catch (error) {
      throw mapError(error, { sent: true });
    }
  }

  /** Drops the connection, and with it whatever it was about to do. The next use makes another one. */
  drop(): void {
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    void client.end().catch(() => undefined);
    this.#options.onLost?.();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connecting?.catch(() => undefined);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<Client> {
    const { url } = this.#settings;
    const { name, timeouts } = this.#options;
    const client = new Client({
      connectionString: url,
      application_name: `holdfast ${name}`,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: timeouts.statement + replyMarginMs,
      keepAlive: true,
      pipeline: true,
    });
    const lose = (): void => {
      if (this.#client === client) this.drop();
    };
    // A client without a listener would end the process when its connection breaks.
    client.on("error", lose).on("end", lose);
    client.on("notification", ({ payload = "", processId }) => this.#options.onNotify?.(payload, processId));
    try {
      await client.connect();
      const onFacts = this.#options.onConnect();
      const facts = await checkServer(client, this.#settings);
      await this.#prepare(client);
      await onFacts(facts, client);
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
    if (this.#isClosed) void client.end().catch(() => undefined);
    else this.#client = client;
    return client;
  }

  async #prepare(client: Client): Promise<void> {
    const { timeouts, isDurable } = this.#options;
    const durable =
      "CASE WHEN current_setting('synchronous_commit') = 'remote_apply' THEN 'remote_apply' ELSE 'on' END";
    await client.query(
      `SELECT set_config('search_path', $1, false), set_config('synchronous_commit', ${isDurable ? durable : "'off'"}, false),
        set_config('default_transaction_isolation', 'read committed', false),
        set_config('default_transaction_read_only', 'off', false),
        set_config('statement_timeout', $2, false), set_config('lock_timeout', $3, false),
        set_config('idle_in_transaction_session_timeout', $4, false)`,
      [
        `"${this.#settings.schema.replaceAll('"', '""')}"`,
        String(timeouts.statement),
        String(timeouts.lock),
        String(timeouts.idleInTransaction),
      ],
    );
  }
}

/** Rows as arrays, in the order of the columns. */
export async function send(
  client: Client,
  statement: Statement,
  values: readonly unknown[],
): Promise<readonly PostgresRow[]> {
  const { rows } = await client.query<unknown[]>({ ...statement, values: [...values], rowMode: "array" });
  return rows;
}
