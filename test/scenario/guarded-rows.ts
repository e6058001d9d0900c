/** A table of documents in a real Postgres, guarded as in the guide, and writers with a connection each. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { startPostgres } from "./private-postgres.ts";

const root = join(import.meta.dirname, "..", "..");
const guide = readFileSync(join(root, "docs", "guides", "guard-your-own-rows.md"), "utf8");

/** The SQL snippets of the guide, verbatim. */
export const snippets: readonly string[] = [...guide.matchAll(/^ *```sql\n(.*?)^ *```$/gmsu)].map(
  ([, text]) => text ?? "",
);

function snippet(word: string): string {
  const found = snippets.filter((text) => text.includes(word));
  return found.length === 1 && found[0] !== undefined
    ? found[0]
    : assert.fail(`the guide has ${found.length} snippets with ${word}, expected 1`);
}

const [granting, writing, reading, forgetting] = ["GRANT", "UPDATE docs", "SELECT body", "DELETE"].map(snippet);
const anyRole = "TO writers";

export interface Writer {
  readonly sql: Sql;
  readonly pid: number;
  /** Runs the guide's transaction of a write. */
  write(fence: string, body: string, doc?: number): Promise<void>;
  /** The first half of that transaction. The transaction stays open. */
  beginWrite(fence: string): Promise<void>;
  /** The second half of that transaction. */
  endWrite(body: string): Promise<void>;
  /** Runs the guide's transaction of a read. */
  read(fence: string): Promise<void>;
  guard(resource: string | null, fence: string | null): Promise<void>;
  rollback(): Promise<void>;
}

export interface GuardedRows {
  writer(): Promise<Writer>;
  body(doc?: number): Promise<string>;
  /** Runs the guide's statement for a deleted resource. */
  forget(): Promise<void>;
  /** Resolves as soon as a writer waits for another one. Fails if its work ends without a wait. */
  waits(writer: Writer, work: Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}

export async function startGuardedRows(): Promise<GuardedRows> {
  const server = await startPostgres();
  const name = `holdfast_${randomUUID().replaceAll("-", "")}`;
  const connections: Sql[] = [];
  const connect = (): Sql => {
    const sql = postgres(server.url, { max: 1, connection: { search_path: name }, onnotice: () => undefined });
    connections.push(sql);
    return sql;
  };
  const admin = connect();
  const stop = async (): Promise<void> => {
    await Promise.all(connections.filter((sql) => sql !== admin).map((sql) => sql.end({ timeout: 0 })));
    await run(admin, `DROP SCHEMA IF EXISTS ${name} CASCADE; DROP ROLE IF EXISTS ${name}`).finally(async () => {
      await admin.end({ timeout: 0 });
      await server.stop();
    });
  };
  try {
    await run(admin, `CREATE SCHEMA ${name}; CREATE ROLE ${name}; GRANT USAGE ON SCHEMA ${name} TO ${name}`);
    const sqlFile = readFileSync(join(root, "server", "sql", "fence-guard.sql"), "utf8");
    await run(admin, sqlFile);
    await run(admin, sqlFile);
    await run(admin, "CREATE TABLE docs (id int PRIMARY KEY, body text NOT NULL)");
    await run(admin, "INSERT INTO docs SELECT id, 'empty' FROM generate_series(40, 49) AS id");
    await run(admin, `GRANT SELECT, UPDATE ON docs TO ${name}; ${(granting ?? "").replace(anyRole, `TO ${name}`)}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    writer: () => writerOn(connect(), name),
    async body(doc = 42) {
      const [row] = await admin<{ body: string }[]>`SELECT body FROM docs WHERE id = ${doc}`;
      return row?.body ?? assert.fail(`there is no document ${doc}`);
    },
    forget: () => run(admin, forgetting ?? ""),
    async waits({ pid }, work) {
      const progress = { isDone: false };
      void work.catch(() => undefined).finally(() => (progress.isDone = true));
      // Each round queries Postgres once, since only Postgres knows which connection is blocked.
      while (!progress.isDone) {
        const [row] = await admin<{ count: number }[]>`SELECT cardinality(pg_blocking_pids(${pid})) AS count`;
        if ((row?.count ?? 0) > 0) return;
      }
      assert.fail("no connection blocked it");
    },
    stop,
  };
}

/** A writer has the rights that the guide names, and no others. */
async function writerOn(sql: Sql, role: string): Promise<Writer> {
  await run(sql, `SET ROLE ${role}`);
  const [row] = await sql<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  const [opening = "", closing = ""] = (writing ?? "").split(/(?=UPDATE)/u);
  const rollback = (): Promise<void> => run(sql, "ROLLBACK");
  const orRollback = (text: string): Promise<void> =>
    run(sql, text).catch(async (error: unknown) => {
      await rollback();
      throw error;
    });
  const filled = (text: string, fence: string, doc = 42): string =>
    text.replaceAll("1.815", fence).replaceAll("42", String(doc));
  return {
    sql,
    pid: row?.pid ?? assert.fail("a connection without a process"),
    write: (fence, body, doc = 42) => orRollback(filled(writing ?? "", fence, doc).replace("'new'", `'${body}'`)),
    beginWrite: (fence) => orRollback(filled(opening, fence)),
    endWrite: (body) => orRollback(closing.replace("'new'", `'${body}'`)),
    read: (fence) => orRollback(filled(reading ?? "", fence)),
    async guard(resource, fence) {
      await sql`SELECT holdfast_guard(${resource}, ${fence})`;
    },
    rollback,
  };
}

async function run(sql: Sql, text: string): Promise<void> {
  await sql.unsafe(text).simple();
}

/** For assert.rejects: refused by the database with this code. */
export const sqlState =
  (code: string, message = /./u) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof postgres.PostgresError, String(error));
    assert.deepEqual([error.code, message.test(error.message)], [code, true], error.message);
    return true;
  };
