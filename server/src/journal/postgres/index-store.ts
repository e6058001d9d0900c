/** The stored part of the key and subject index: every statement on its tables. */
import { indexHash } from "../index-hash.ts";
import type { Client } from "pg";
import type { IndexTail } from "../index-tail.ts";
import type { Head, SubjectQuery } from "../journal.ts";
import type { BatchEnd } from "../sealed-batch.ts";
import { genesis } from "../seal.ts";
import type { PostgresSession, Statement } from "./session.ts";

/** The ends of the journal and of the stored index in one snapshot. */
export interface IndexSnapshot {
  readonly head: BatchEnd;
  /** The tables hold the rows of every entry up to this position. */
  readonly cover: number;
}

const snapshotColumns = `coalesce((SELECT first + count - 1 FROM batches WHERE space = $1 ORDER BY first DESC LIMIT 1), 0),
  (SELECT hash FROM batches WHERE space = $1 ORDER BY first DESC LIMIT 1),
  coalesce((SELECT position FROM index_cover WHERE space = $1), 0)`;

const statements = {
  cover: {
    name: "cover",
    text: `SELECT c.position, c.hash, b.time FROM index_cover c JOIN LATERAL (SELECT * FROM batches
      WHERE space = c.space AND first <= c.position ORDER BY first DESC LIMIT 1) b ON b.hash = c.hash WHERE c.space = $1`,
  },
  keys: {
    name: "keys",
    text: `SELECT ${snapshotColumns}, ARRAY(SELECT (SELECT position FROM keys WHERE space = $1 AND hash = wanted.hash)
      FROM unnest($2::uuid[]) WITH ORDINALITY AS wanted (hash, place) ORDER BY place)`,
  },
  ascending: { name: "subjects_ascending", text: subjectQuery("ASC") },
  descending: { name: "subjects_descending", text: subjectQuery("DESC") },
} as const satisfies Readonly<Record<string, Statement>>;

function subjectQuery(direction: "ASC" | "DESC"): string {
  return `SELECT ${snapshotColumns}, ARRAY(SELECT position FROM subjects WHERE space = $1 AND hash = $2
    AND position > $3 AND position < $4 ORDER BY position ${direction} LIMIT $5)`;
}

export class PostgresIndexStore {
  readonly #session: PostgresSession;
  readonly #space: string;

  constructor(session: PostgresSession, space: string) {
    this.#session = session;
    this.#space = space;
  }

  /** The batch up to which the tables are complete. A restore of the database restores the tables too. */
  async cover(): Promise<Head> {
    const [row] = await this.#session.run(statements.cover, [this.#space]);
    return row === undefined ? genesis : { position: Number(row[0]), hash: String(row[1]), time: Number(row[2]) };
  }

  async findKeys(
    scopes: readonly string[],
  ): Promise<IndexSnapshot & { readonly found: readonly (number | undefined)[] }> {
    const hashes = scopes.map(indexHash);
    const [row] = await this.#session.run(statements.keys, [this.#space, hashes]);
    const found = (row?.[3] ?? []) as readonly (string | null)[];
    return { ...toSnapshot(row), found: found.map((position) => (position === null ? undefined : Number(position))) };
  }

  async findSubject(
    query: SubjectQuery & { readonly after: number; readonly before: number },
  ): Promise<IndexSnapshot & { readonly found: readonly number[] }> {
    const { subject, after, before, order, limit } = query;
    const values = [this.#space, indexHash(subject), after, before, Math.max(0, limit)];
    const [row] = await this.#session.run(
      order === "oldest-first" ? statements.ascending : statements.descending,
      values,
    );
    return { ...toSnapshot(row), found: ((row?.[3] ?? []) as readonly string[]).map(Number) };
  }
}

function toSnapshot(row: readonly unknown[] | undefined): IndexSnapshot {
  const head = { position: Number(row?.[0]), hash: (row?.[1] as string | null | undefined) ?? genesis.hash };
  return { head, cover: Number(row?.[2]) };
}

/** Inserts a tail into the tables, within a transaction. Existing rows stay: they are equal, or hold the first use. */
export async function insertTail(client: Client, space: string, tail: IndexTail): Promise<void> {
  const keys = [...tail.keys()].map(([scope, position]) => [indexHash(scope), position] as const);
  await client.query(insertInto("keys"), [space, ...columns(keys)]);
  const subjects = [...tail.subjects()].flatMap(([subject, positions]) => {
    const hash = indexHash(subject);
    return positions.map((position) => [hash, position] as const);
  });
  await client.query(insertInto("subjects"), [space, ...columns(subjects)]);
}

/** Inserts in the order of the primary key. Neighbours share pages, so one lookup and one page write serve many rows. */
function insertInto(table: "keys" | "subjects"): string {
  return `INSERT INTO ${table} (space, hash, position)
    SELECT $1, hash, position FROM unnest($2::uuid[], $3::bigint[]) AS added (hash, position) ORDER BY hash, position
    ON CONFLICT DO NOTHING`;
}

/** Array literals. Hashes and numbers need no quotes. The client's own encoder would check each element for them. */
function columns(rows: readonly (readonly [hash: string, position: number])[]): readonly [string, string] {
  return [`{${rows.map(([hash]) => hash).join(",")}}`, `{${rows.map(([, position]) => position).join(",")}}`];
}
