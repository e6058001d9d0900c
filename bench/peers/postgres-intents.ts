/** Intents directly on Postgres, as an application would write them: row locks for a status, versions for corrections. */
import { Client } from "pg";

const connectionCount = 32;

/** A status update under a row lock, with its audit record, in one transaction. */
const steps = {
  lock: "SELECT status FROM intents WHERE id = $1 FOR UPDATE NOWAIT",
  update: "UPDATE intents SET status = $2, version = version + 1 WHERE id = $1",
  audit: "INSERT INTO audit (intent_id, event, actor, payload) VALUES ($1, 'STATUS_CHANGED', 'bench', $2)",
};

export class PostgresIntents {
  readonly #clients: readonly Client[];

  private constructor(clients: readonly Client[]) {
    this.#clients = clients;
  }

  static async connect(url: string): Promise<PostgresIntents> {
    const clients = Array.from({ length: connectionCount }, () => new Client({ connectionString: url }));
    await Promise.all(clients.map((client) => client.connect()));
    await clients[0]?.query(
      "CREATE TABLE intents (id text PRIMARY KEY, status text NOT NULL, payload jsonb NOT NULL, version int NOT NULL);" +
        "CREATE TABLE audit (id bigserial PRIMARY KEY, intent_id text, event text, actor text, payload jsonb)",
    );
    return new PostgresIntents(clients);
  }

  async create(ids: readonly string[]): Promise<void> {
    const text = "INSERT INTO intents SELECT unnest($1::text[]), 'received', '{\"chairs\": 2}', 1";
    await this.#clients[0]?.query(text, [ids]);
  }

  /** Moves all intents to a status, over all connections. */
  async moveAll(ids: readonly string[], status: string): Promise<void> {
    let next = 0;
    const work = async (client: Client): Promise<void> => {
      for (let id = ids[next++]; id !== undefined; id = ids[next++]) {
        await client.query("BEGIN");
        await client.query({ name: "lock", text: steps.lock, values: [id] });
        await client.query({ name: "update", text: steps.update, values: [id, status] });
        await client.query({ name: "audit", text: steps.audit, values: [id, JSON.stringify({ status })] });
        await client.query("COMMIT");
      }
    };
    await Promise.all(this.#clients.map(work));
  }

  /** Corrects one intent `count` times at once. Each caller retries until its version is the current one. */
  async correct(id: string, count: number): Promise<readonly number[]> {
    const ms: number[] = [];
    let next = 0;
    const startMs = performance.now();
    const work = async (client: Client): Promise<void> => {
      for (let number = next++; number < count; number = next++) {
        for (let isDone = false; !isDone;) {
          const { rows } = await client.query<{ version: number }>("SELECT version FROM intents WHERE id = $1", [id]);
          const patch = JSON.stringify({ [`field${number}`]: number });
          const text =
            "UPDATE intents SET payload = payload || $3, version = version + 1 WHERE id = $1 AND version = $2";
          const { rowCount } = await client.query(text, [id, rows[0]?.version, patch]);
          isDone = rowCount === 1;
        }
        ms.push(performance.now() - startMs);
      }
    };
    await Promise.all(this.#clients.map(work));
    return ms;
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.end()));
  }
}
