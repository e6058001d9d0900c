/**
 * Locks directly on Postgres, as an application would write them: advisory locks, and rows that are inserted and
 * deleted.
 */
import { Client } from "pg";
import { type Load, runLoad } from "../load.ts";

const connectionCount = 32;
const keysOfEach = 8;

/** Each connection has its own keys, so that no connection waits for a lock. */
export class DirectLocks {
  readonly #clients: readonly Client[];
  #count = 0;

  private constructor(clients: readonly Client[]) {
    this.#clients = clients;
  }

  static async connect(url: string): Promise<DirectLocks> {
    const clients = Array.from({ length: connectionCount }, () => new Client({ connectionString: url }));
    await Promise.all(clients.map((client) => client.connect()));
    await clients[0]?.query("CREATE TABLE direct_locks (path text PRIMARY KEY, owner text NOT NULL)");
    return new DirectLocks(clients);
  }

  advisory(durationMs: number): Promise<Load> {
    return this.#run(durationMs, async (client, key) => {
      await client.query({ name: "take", text: "SELECT pg_try_advisory_lock($1)", values: [key] });
      await client.query({ name: "give", text: "SELECT pg_advisory_unlock($1)", values: [key] });
    });
  }

  rows(durationMs: number): Promise<Load> {
    return this.#run(durationMs, async (client, key) => {
      const values = [`bench/${String(key)}`, "me"];
      const insert = "INSERT INTO direct_locks (path, owner) VALUES ($1, $2) ON CONFLICT DO NOTHING";
      await client.query({ name: "insert", text: insert, values });
      await client.query({ name: "delete", text: "DELETE FROM direct_locks WHERE path = $1 AND owner = $2", values });
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.end()));
  }

  #run(durationMs: number, cycle: (client: Client, key: number) => Promise<void>): Promise<Load> {
    return runLoad(connectionCount, durationMs, async (worker) => {
      this.#count += 1;
      const key = worker * keysOfEach + (this.#count % keysOfEach);
      await cycle(this.#clients[worker]!, key);
    });
  }
}
