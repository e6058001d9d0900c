/** Backups and data folders that an attacker prepared. Regardless of their content, nothing outside the folder changes. */
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { backupFolder, restoreFolder } from "../../server/src/journal/sqlite/folder/backup-folder.ts";
import { openReadOnly, openSqliteReader } from "../../server/src/journal/sqlite/folder/sqlite-reader.ts";
import { failure, withFolder } from "../conformance/sqlite-folder.ts";
import { openJournal, prepare } from "./journal-work.ts";
import { tamper } from "./forge.ts";
import { execChildSync } from "./spawn-child.ts";

const segment = "000000000001-000000000100.ndjson.gz";
const victimText = "the victim's own key\n";

/** A backup, and a file outside that must not change. */
interface Attack {
  readonly data: string;
  readonly backup: string;
  readonly victim: string;
}

function underAttack(work: (attack: Attack) => Promise<void>): () => Promise<void> {
  return withFolder(async (data) => {
    await prepare(data, "restore");
    const victim = join(dirname(data), "victim");
    writeFileSync(victim, victimText);
    await work({ data, backup: `${data}-backup`, victim });
    assert.equal(readFileSync(victim, "utf8"), victimText, "the file outside is unchanged");
  });
}

/** Every command that reads, copies or writes a folder refuses it, and leaves nothing behind. */
async function assertRefused(folder: string, expected: (error: unknown) => boolean): Promise<void> {
  for (const copy of [restoreFolder, backupFolder]) {
    await assert.rejects(copy({ from: folder, to: `${folder}-copy` }), expected);
    assert.ok(!existsSync(`${folder}-copy`) && !existsSync(`${folder}-copy.unfinished`));
  }
  assert.throws(() => {
    openSqliteReader(folder).close();
  }, expected);
  await assert.rejects(openJournal(folder), expected);
}

test(
  "a recorded archive file that is not a name of Holdfast is refused by restore, backup, verify and start [X14]",
  underAttack(async ({ backup, victim }) => {
    const names = [
      "../../victim",
      victim,
      `../archive/${segment}`,
      `x/../${segment}`,
      `${segment}/../../../victim`,
      "..",
      "",
      "000000000001-000000000099.ndjson.gz",
      "000000000001-000000000100.0.ndjson.gz",
      `0${segment}`,
      `${segment}\n`,
    ];
    for (const name of names) {
      tamper(backup, "UPDATE segments SET file = ?", name);
      await assertRefused(backup, failure("damaged", { position: 1, says: /archive file is recorded as/u }));
    }
  }),
);

test(
  "recorded blocks that do not cover the archive file are refused before a byte is read [X14]",
  underAttack(async ({ backup }) => {
    const bytes = statSync(join(backup, "archive", segment)).size;
    const wrong = [
      "[]",
      "{}",
      "x",
      "[[1,0]]",
      `[[1,0,${bytes + 1}]]`,
      `[[1,-1,${bytes + 1}]]`,
      `[[2,0,${bytes}]]`,
      `[[1,0,0],[1,0,${bytes}]]`,
      `[[1,0,"${bytes}"]]`,
      `[[1,0,9007199254740991]]`,
    ];
    for (const blocks of wrong) {
      tamper(backup, "UPDATE segments SET blocks = ?", blocks);
      await assertRefused(backup, failure("damaged", { position: 1, says: /recorded blocks/u }));
    }
    tamper(backup, "UPDATE segments SET blocks = ?, bytes = ?", "[[1,0,200000000]]", 200_000_000);
    const from = { from: backup, to: `${backup}-copy` };
    await assert.rejects(restoreFolder(from), failure("damaged", { position: 1 }));
    tamper(backup, "UPDATE segments SET first = 9223372036854775807");
    await assertRefused(backup, failure("damaged"));
  }),
);

test(
  "a symbolic link or a pipe in a folder is refused before anything is opened [X14]",
  underAttack(async ({ backup, victim }) => {
    const links: readonly (readonly [name: string, target: string])[] = [
      ["journal.db-shm", victim],
      ["journal.db-wal", victim],
      ["owner.json", victim],
      ["owner.db", victim],
      ["identity", victim],
      ["identity.tmp", victim],
      ["index.db", victim],
      ["checkpoint.db", victim],
      ["server.json", victim],
      [join("archive", "unfinished.tmp"), victim],
      [join("archive", "sub"), dirname(backup)],
    ];
    for (const [name, target] of links) {
      rmSync(join(backup, name), { force: true });
      symlinkSync(target, join(backup, name));
      await assertRefused(backup, failure("invalid", { says: /symbolic link or a special file/u }));
      rmSync(join(backup, name));
    }
    execChildSync("mkfifo", [join(backup, "journal.db-wal")]);
    await assertRefused(backup, failure("invalid", { says: /special file/u }));
    rmSync(join(backup, "journal.db-wal"));
    rmSync(join(backup, "archive"), { recursive: true });
    symlinkSync(dirname(backup), join(backup, "archive"));
    await assertRefused(backup, failure("invalid", { says: /archive is a symbolic link/u }));
  }),
);

test(
  "a restore into a symbolic link is refused, and the folder behind the link stays empty [X14]",
  underAttack(async ({ data, backup }) => {
    mkdirSync(`${data}-elsewhere`);
    symlinkSync(`${data}-elsewhere`, `${data}-link`);
    await assert.rejects(restoreFolder({ from: backup, to: `${data}-link` }), failure("invalid", { says: /link/u }));
    assert.deepEqual(readdirSync(`${data}-elsewhere`), []);
    symlinkSync(dirname(data), `${data}-second.unfinished`);
    await restoreFolder({ from: backup, to: `${data}-second` });
    assert.deepEqual(readdirSync(`${data}-second`).sort(), ["archive", "journal.db"]);
  }),
);

test(
  "a database with a trigger, a view or another table than Holdfast's is refused before it is used [X14]",
  underAttack(async ({ backup }) => {
    const objects = [
      "CREATE TRIGGER later AFTER INSERT ON meta BEGIN UPDATE meta SET value = 'x'; END",
      "CREATE VIEW seen AS SELECT * FROM meta",
      "CREATE TABLE more (x)",
      "CREATE INDEX fast ON batches (hash)",
    ];
    for (const sql of objects) {
      const [, type = "", name = ""] = sql.split(" ");
      tamper(backup, sql);
      await assertRefused(backup, failure("damaged", { says: new RegExp(`${type.toLowerCase()} "${name}"`, "u") }));
      tamper(backup, `DROP ${type} ${name}`);
    }
    tamper(backup, "ALTER TABLE meta RENAME TO hidden");
    tamper(backup, "CREATE VIEW meta AS SELECT name, value FROM hidden");
    await assertRefused(backup, failure("damaged"));
  }),
);

test(
  "a restore takes no checkpoint and no index from a backup, because no hash of the journal covers them [X14]",
  underAttack(async ({ data, backup }) => {
    for (const name of ["checkpoint.db", "index.db"]) writeFileSync(join(backup, name), readFileSync(join(data, name)));
    await restoreFolder({ from: backup, to: `${data}-new` });
    assert.deepEqual(readdirSync(`${data}-new`).sort(), ["archive", "journal.db"]);
  }),
);

test(
  "an archive file that unpacks to more than any batch holds is refused, and does not fill the memory [X14 X15]",
  underAttack(async ({ backup }) => {
    // A gzip file may have many members. These would unpack to 8 GiB.
    const bomb = Buffer.concat(Array.from({ length: 256 }, () => member));
    const file = join(backup, "archive", segment);
    writeFileSync(file, bomb);
    const sha256 = execChildSync("sha256sum", [file], { encoding: "utf8" }).slice(0, 64);
    const sql = "UPDATE segments SET blocks = ?, bytes = ?, sha256 = ?";
    tamper(backup, sql, JSON.stringify([[1, 0, bomb.length]]), bomb.length, sha256);
    const says = /holds more than \d+ bytes of text/u;
    await assert.rejects(restoreFolder({ from: backup, to: `${backup}-copy` }), failure("damaged", { says }));
    assert.ok(process.memoryUsage().rss < 1.5 * 1024 ** 3, "the memory stays bounded");
  }),
);

const member = gzipSync(Buffer.alloc(32 * 1024 * 1024), { level: 1 });

test(
  "a connection to a database refuses a value that is larger than any batch [X14 X15]",
  underAttack(({ backup }) => {
    const database = openReadOnly(backup);
    assert.throws(() => database.prepare("SELECT zeroblob(300000000)").get(), /too big/u);
    database.close();
    return Promise.resolve();
  }),
);
