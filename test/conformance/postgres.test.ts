import { Client } from "pg";
import { systemClock } from "../../server/src/base/clock.ts";
import { openPostgresJournal } from "../../server/src/journal/postgres/open.ts";
import { processPostgres } from "../nodes/process-postgres.ts";
import { journalSuite } from "./journal-suite.ts";

const schema = `holdfast_test_${String(process.pid)}`;
const postgres = await processPostgres(() => onServer(`DROP SCHEMA IF EXISTS ${schema} CASCADE`));
let spaceCount = 0;

async function onServer(sql: string): Promise<void> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** Small enough that the index is flushed to its tables during the tests. */
const tailRows = 24;

journalSuite({
  name: "Postgres",
  isShared: true,
  canArchive: false,
  create() {
    const space = `space ${String((spaceCount += 1))}`;
    const options = { url: postgres.url, clock: systemClock, allowsFsyncOff: true, schema, space, tailRows };
    return Promise.resolve({
      open: () => openPostgresJournal(options),
      // To the server, the crash of a node is the end of its connections.
      crash: () =>
        onServer(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE application_name LIKE 'holdfast %' AND pid <> pg_backend_pid()`,
        ),
      loseIndex: () =>
        onServer(`DELETE FROM ${schema}.keys; DELETE FROM ${schema}.subjects; DELETE FROM ${schema}.index_cover`),
      cleanUp: () => Promise.resolve(),
    });
  },
});
