/**
 * One connection. It is made on demand and again after it was lost. The fate of the statement in flight is then unknown, and
 * the session never sends it again. The engine reads the journal to learn it.
 */
import { Client } from "pg";
import { JournalError } from "../journal.ts";
import { checkServer, type ServerIdentity } from "./check-server.ts";
import { mapError } from "./map-error.ts";
import type { PostgresSettings } from "./options.ts";

/** Timeouts in milliseconds. Without them, a dead network or a node that sleeps during its turn would block all nodes. */
interface SessionTimeouts {
  readonly statement: number;
  readonly lock: number;
  readonly idleInTransaction: number;
}

export interface PostgresSessionOptions {
  readonly name: string;
  readonly timeouts: SessionTimeouts;
  /** False for a session that only notifies. Its commits need not wait for the disk. */
  readonly isDurable: boolean;
  /**
   * Called for every new connection before the query for the server's identity. The returned function gets the identity
   * before the connection is used. It throws to reject the server.
   */
  readonly onConnect: () => OnServerIdentity;
  readonly onNotify?: (message: string, sender: number) => void;
  readonly onLost?: () => void;
}

type OnServerIdentity = (identity: ServerIdentity, client: Client) => Promise<void>;

/** A statement that is prepared once for each connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export type PostgresRow = readonly unknown[];

const connectTimeoutMs = 5_000;
/** Extra time after the statement timeout. The server normally cancels the statement itself, unless it is unreachable. */
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

  /** True if the session still uses this connection. */
  holds(client: Client): boolean {
    return this.#client === client;
  }

  /** Returns the connection, ready to be used. If it throws, the caller has sent nothing yet. */
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

  /** Drops the connection and its pending statements. The next use makes another connection. */
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
    // Without a listener, a broken connection would end the process.
    client.on("error", lose).on("end", lose);
    client.on("notification", ({ payload = "", processId }) => this.#options.onNotify?.(payload, processId));
    try {
      await client.connect();
      const onIdentity = this.#options.onConnect();
      const identity = await checkServer(client, this.#settings);
      await this.#prepare(client);
      await onIdentity(identity, client);
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

/** Runs a statement. Returns rows as arrays, in the order of the columns. */
export async function send(
  client: Client,
  statement: Statement,
  values: readonly unknown[],
): Promise<readonly PostgresRow[]> {
  const { rows } = await client.query<unknown[]>({ ...statement, values: [...values], rowMode: "array" });
  return rows;
}
