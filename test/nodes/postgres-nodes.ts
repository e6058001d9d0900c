/** Several nodes on one real Postgres, each a complete engine with a client, in this process. */
import { defined } from "@holdfast/sdk/base/defined";
import type { Client } from "holdfast";
import { Client as Connection } from "pg";
import type { AppServices } from "../../server/src/app/app-services.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import type { Engine } from "../../server/src/engine/engine.ts";
import { openPostgresJournal } from "../../server/src/journal/postgres/open.ts";
import type { PostgresJournalOptions } from "../../server/src/journal/postgres/options.ts";
import { clientOf, servicesOf, startEngine } from "../../server/src/assembly/open.ts";
import type { PrivatePostgres } from "../scenario/private-postgres.ts";

export interface PostgresNode {
  readonly engine: Engine;
  readonly client: Client;
  readonly services: AppServices;
  /** The reports to the operator. */
  readonly reports: string[];
}

export interface SharedJournal {
  node(options?: Partial<PostgresJournalOptions> & { readonly checkpointEvery?: number }): Promise<PostgresNode>;
  /** Runs SQL as an administrator. */
  sql(text: string, values?: unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** Stops every node that was started, and removes the tables. */
  close(): Promise<void>;
}

export function shareJournal(postgres: Pick<PrivatePostgres, "url">, space = "main"): SharedJournal {
  const schema = `holdfast_nodes_${String(process.pid)}`;
  const nodes: PostgresNode[] = [];

  async function sql(text: string, values: unknown[] = []): Promise<readonly Record<string, unknown>[]> {
    const connection = new Connection({ connectionString: postgres.url });
    await connection.connect();
    try {
      await connection.query(`SET search_path TO ${schema}`);
      return (await connection.query<Record<string, unknown>>(text, values)).rows;
    } finally {
      await connection.end();
    }
  }

  return {
    async node({ checkpointEvery, ...options } = {}) {
      const reports: string[] = [];
      const report = (message: string): void => void reports.push(message);
      const journal = await openPostgresJournal({
        ...{ url: postgres.url, clock: systemClock, space, schema, allowsFsyncOff: true, onError: report },
        ...options,
      });
      const engine = await startEngine({ journal, report, ...defined({ checkpointEvery }) });
      const services = servicesOf(engine);
      const node = { engine, services, client: clientOf(services, { client: { retry: false } }), reports };
      nodes.push(node);
      return node;
    },
    sql,
    async close() {
      await Promise.all(nodes.map(({ client }) => client.close()));
      await sql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    },
  };
}
