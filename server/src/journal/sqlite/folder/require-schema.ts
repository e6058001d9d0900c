/** Refuses a database whose schema is not the one that the migrations create, before a statement touches its tables. */
import { DatabaseSync } from "node:sqlite";
import { JournalError } from "../../journal.ts";

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

const schemaQuery =
  "SELECT coalesce(type, '') AS type, coalesce(name, '') AS name, coalesce(sql, '') AS sql FROM sqlite_schema ORDER BY type, name LIMIT 100";

/** `migrations` are those that the file has applied. */
export function requireSchema(database: DatabaseSync, migrations: readonly string[], file: string): void {
  const expected = expectedSchema(migrations);
  const found = schemaOf(database);
  const extra = found.find((object) => !expected.some((one) => isSame(one, object)));
  const absent = expected.find((object) => !found.some((one) => isSame(one, object)));
  if (extra === undefined && absent === undefined) return;
  const what =
    extra === undefined
      ? `lacks the ${absent?.type ?? ""} ${absent?.name ?? ""}`
      : `has the ${extra.type.slice(0, 20)} ${JSON.stringify(extra.name.slice(0, 80))}, which Holdfast did not create`;
  throw new JournalError("damaged", `${file} ${what}. Do not use this file. Restore a backup of your own.`, {
    certain: true,
  });
}

function schemaOf(database: DatabaseSync): readonly SchemaObject[] {
  return database.prepare(schemaQuery).all() as unknown as readonly SchemaObject[];
}

const known = new Map<string, readonly SchemaObject[]>();

function expectedSchema(migrations: readonly string[]): readonly SchemaObject[] {
  const sql = migrations.join(";\n");
  const made = known.get(sql) ?? createdSchema(sql);
  known.set(sql, made);
  return made;
}

function createdSchema(sql: string): readonly SchemaObject[] {
  const database = new DatabaseSync(":memory:");
  try {
    database.exec(sql);
    return schemaOf(database);
  } finally {
    database.close();
  }
}

/** Line breaks and indentation of a migration are not part of its meaning. */
function isSame(one: SchemaObject, other: SchemaObject): boolean {
  return one.type === other.type && one.name === other.name && plain(one.sql) === plain(other.sql);
}

function plain(sql: string): string {
  return sql.replaceAll(/\s+/gu, " ");
}
