/**
 * A SQLite journal whose process dies at a named step of an append. It uses the real files and intercepts the
 * statements.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Journal } from "../../server/src/journal/journal.ts";
import { openJournalFile } from "../../server/src/journal/sqlite/folder/files.ts";
import { makeFolder } from "../../server/src/journal/sqlite/folder/make-folder.ts";
import { assembleSqliteJournal } from "../../server/src/journal/sqlite/open.ts";
import { ownFolder } from "../../server/src/journal/sqlite/folder/own-folder.ts";
import type { Point } from "./kill-lines.ts";

interface Death {
  readonly at: Point;
  /** The number of the append, from 1. */
  readonly append: number;
}

export async function dyingJournal(folder: string, death: Death): Promise<Journal> {
  let appends = 0;
  function pass(point: Point): void {
    if (point === death.at && appends === death.append) process.kill(process.pid, "SIGKILL");
  }
  makeFolder(folder);
  const release = ownFolder(folder, "now");
  const database = openJournalFile(folder, "main");
  watchStatements(database, pass);
  const journal = await assembleSqliteJournal(database, release, { folder });
  return {
    ...journal,
    async append(batch) {
      appends += 1;
      pass("before the transaction");
      const appended = await journal.append(batch);
      pass("before the reply");
      return appended;
    },
  };
}

/** Calls `pass` after a statement that ends a step. */
function watchStatements(database: DatabaseSync, pass: (point: Point) => void): void {
  const ends: readonly (readonly [RegExp, Point])[] = [
    [/^BEGIN/, "after BEGIN"],
    [/^INSERT INTO batches/, "after INSERT"],
    [/^COMMIT/, "after COMMIT"],
  ];
  const prepare = database.prepare.bind(database);
  database.prepare = (sql: string): StatementSync => {
    const statement = prepare(sql);
    const point = ends.find(([pattern]) => pattern.test(sql))?.[1];
    if (point === undefined) return statement;
    const run = statement.run.bind(statement) as (...values: unknown[]) => ReturnType<StatementSync["run"]>;
    statement.run = (...values: unknown[]) => {
      const result = run(...values);
      pass(point);
      return result;
    };
    return statement;
  };
}
