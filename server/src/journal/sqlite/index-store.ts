/** index.db: the stored part of the key and subject index. It holds every statement on that file, prepared once. */
import { indexHash } from "../index-hash.ts";
import type { DatabaseSync } from "node:sqlite";
import type { SubjectLayer } from "../index-tail.ts";
import type { SubjectQuery } from "../journal.ts";
import type { BatchEnd } from "../sealed-batch.ts";
import { genesis } from "../seal.ts";
import { transactRaw } from "./folder/transact-raw.ts";

export interface IndexRow {
  readonly table: "keys" | "subjects";
  /** See indexHash. */
  readonly hash: string;
  readonly position: number;
}

export interface SqliteIndexStore extends SubjectLayer {
  /** The store holds the rows of every entry up to this batch. */
  complete(): BatchEnd;
  /** Reads `complete` again, after another connection wrote to the file. */
  refresh(): void;
  /** The store may hold rows of entries up to this batch. */
  begun(): BatchEnd | undefined;
  /** Returns for each key scope the position of the entry that used it first. */
  findKeys(scopes: readonly string[]): readonly (number | undefined)[];
  /** Records the target of a flush before its first row is written. */
  begin(target: BatchEnd): void;
  /** Writes rows in one transaction. Existing rows are equal and stay. */
  insert(rows: readonly IndexRow[]): void;
  /** Records that the store is complete up to the target. */
  finish(target: BatchEnd): void;
  close(): void;
}

/** Number of keys in one query. The statement costs more than the rows that it finds. */
const keysPerQuery = 16;

export function createIndexStore(database: DatabaseSync): SqliteIndexStore {
  const someKeys = database.prepare(`SELECT hash, position FROM keys WHERE hash IN (${parameters(keysPerQuery)})`);
  const ascending = database.prepare(subjectQuery("ASC"));
  const descending = database.prepare(subjectQuery("DESC"));
  const insertKey = database.prepare("INSERT INTO keys (hash, position) VALUES (?, ?) ON CONFLICT DO NOTHING");
  const insertSubject = database.prepare("INSERT INTO subjects (hash, position) VALUES (?, ?) ON CONFLICT DO NOTHING");
  const setCover = database.prepare("INSERT OR REPLACE INTO cover (name, position, hash) VALUES (?, ?, ?)");
  const readCover = database.prepare("SELECT position, hash FROM cover WHERE name = ?");
  const readComplete = (): BatchEnd => (readCover.get("complete") as unknown as BatchEnd | undefined) ?? genesis;
  let complete = readComplete();

  return {
    complete: () => complete,
    refresh: () => {
      complete = readComplete();
    },
    begun: () => readCover.get("begun") as unknown as BatchEnd | undefined,
    findKeys(scopes) {
      const positions: (number | undefined)[] = scopes.map(() => undefined);
      if (complete.position === 0) return positions;
      for (let from = 0; from < scopes.length; from += keysPerQuery) {
        const hashes = scopes.slice(from, from + keysPerQuery).map(indexHash);
        for (const row of someKeys.all(...padded(hashes.map(toBlob)))) {
          positions[from + hashes.indexOf(toHex(row.hash as Uint8Array))] = row.position as number;
        }
      }
      return positions;
    },
    findSubject({ subject, after = 0, before = Number.MAX_SAFE_INTEGER, order, limit }: SubjectQuery) {
      // Rows beyond `complete` belong to a flush in progress. The flushed tail still answers for them.
      const below = Math.min(before, complete.position + 1);
      const statement = order === "oldest-first" ? ascending : descending;
      const rows = statement.all(toBlob(indexHash(subject)), after, below, Math.max(0, limit));
      return rows.map((row) => row.position as number);
    },
    begin: ({ position, hash }) => {
      transactRaw(database, () => setCover.run("begun", position, hash));
    },
    insert(rows) {
      transactRaw(database, () => {
        for (const { table, hash, position } of rows) {
          (table === "keys" ? insertKey : insertSubject).run(toBlob(hash), position);
        }
      });
    },
    finish({ position, hash }) {
      transactRaw(database, () => setCover.run("complete", position, hash));
      complete = { position, hash };
    },
    close: () => {
      database.close();
    },
  };
}

function subjectQuery(direction: "ASC" | "DESC"): string {
  return `SELECT position FROM subjects WHERE hash = ? AND position > ? AND position < ? ORDER BY position ${direction} LIMIT ?`;
}

function parameters(count: number): string {
  return new Array(count).fill("?").join(", ");
}

/** Repeats the first blob until all parameters of the statement are filled. A repeated parameter changes nothing. */
function padded(blobs: readonly Uint8Array[]): Uint8Array[] {
  return Array.from({ length: keysPerQuery }, (_, index) => blobs[index] ?? (blobs[0] as Uint8Array));
}

function toHex(blob: Uint8Array): string {
  return Buffer.from(blob).toString("hex");
}

/** Converts from hex, because `crypto.hash` takes three times as long for a buffer. */
function toBlob(hash: string): Uint8Array {
  return Buffer.from(hash, "hex");
}
