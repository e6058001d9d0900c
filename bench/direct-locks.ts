/** Locks straight on Postgres, as one would write them by hand: advisory locks, and rows that are inserted and deleted. */
import { Client } from "pg";

const connectionCount = 32;

/** Cycles a second of the better of the two. */
export async function directLocks(
  url: string,
  durationMs: number,
): Promise<{ readonly kind: string; readonly rate: number }> {
  const clients = await Promise.all(
    Array.from({ length: connectionCount }, async () => {
      const client = new Client({ connectionString: url });
      await client.connect();
      return client;
    }),
  );
  try {
    await clients[0]?.query("CREATE TABLE IF NOT EXISTS direct_locks (path text PRIMARY KEY, owner text NOT NULL)");
    const advisory = await rate(clients, durationMs, async (client, key) => {
      await client.query({ name: "take", text: "SELECT pg_try_advisory_lock($1)", values: [key] });
      await client.query({ name: "give", text: "SELECT pg_advisory_unlock($1)", values: [key] });
    });
    const rows = await rate(clients, durationMs, async (client, key) => {
      const values = [`bench/${String(key)}`, "me"];
      const insert = "INSERT INTO direct_locks (path, owner) VALUES ($1, $2) ON CONFLICT DO NOTHING";
      await client.query({ name: "insert", text: insert, values });
      await client.query({ name: "delete", text: "DELETE FROM direct_locks WHERE path = $1 AND owner = $2", values });
    });
    return advisory > rows ? { kind: "advisory", rate: advisory } : { kind: "rows", rate: rows };
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function rate(
  clients: readonly Client[],
  durationMs: number,
  cycle: (client: Client, key: number) => Promise<void>,
): Promise<number> {
  const startMs = performance.now();
  let count = 0;
  await Promise.all(
    clients.map(async (client, index) => {
      for (let n = 0; performance.now() - startMs < durationMs; n += 1) {
        await cycle(client, index * 8 + (n % 8));
        count += 1;
      }
    }),
  );
  return (count / (performance.now() - startMs)) * 1_000;
}
