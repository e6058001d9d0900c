/**
 * The peer: the minimum that SQLite needs to store the same bytes as safely. One row per entry, one transaction per
 * batch.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export class RawInserts {
  readonly #database: DatabaseSync;
  #position = 0;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#database = new DatabaseSync(join(folder, "raw.db"));
    this.#database.exec("PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1; PRAGMA journal_mode = WAL");
    this.#database.exec("PRAGMA synchronous = 2");
    this.#database.exec("CREATE TABLE entries (position INTEGER PRIMARY KEY, lines TEXT NOT NULL) STRICT");
  }

  /** Inserts all entries and returns the duration in milliseconds. */
  run(entries: readonly string[], batchSize: number): number {
    const begin = this.#database.prepare("BEGIN IMMEDIATE");
    const commit = this.#database.prepare("COMMIT");
    const insert = this.#database.prepare("INSERT INTO entries (position, lines) VALUES (?, ?)");
    const startMs = performance.now();
    for (let start = 0; start < entries.length; start += batchSize) {
      begin.run();
      const end = Math.min(entries.length, start + batchSize);
      for (let index = start; index < end; index += 1) insert.run((this.#position += 1), entries[index] ?? "");
      commit.run();
    }
    return performance.now() - startMs;
  }

  close(): void {
    this.#database.close();
  }
}

/** The rows of a journal after a position: the bytes of each entry, and the sizes of the batches. */
export function writtenAfter(
  folder: string,
  position: number,
): { readonly entries: readonly string[]; readonly batchSizes: readonly number[] } {
  const database = new DatabaseSync(join(folder, "journal.db"), { readOnly: true });
  try {
    const rows = database.prepare("SELECT count, lines FROM batches WHERE first > ? ORDER BY first").all(position);
    const entries = rows.flatMap((row) => entryTexts(String(row["lines"]).split("\n")));
    return { entries, batchSizes: rows.map((row) => Number(row["count"])) };
  } finally {
    database.close();
  }
}

/** The bytes of an entry are its payload line, and its share of the line of headers. */
function entryTexts([headers = "", ...payloads]: readonly string[]): readonly string[] {
  const share = Math.ceil(headers.length / payloads.length);
  return payloads.map((payload, index) => `${headers.slice(share * index, share * (index + 1))}\n${payload}`);
}
