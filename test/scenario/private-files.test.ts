/** The files of Holdfast are private to their user, regardless of the umask and of the rights of an existing folder. */
import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "holdfast";
import { allCommands } from "../../server/src/doors/cli/commands/all-commands.ts";
import { makeNodeFolder } from "../../server/src/assembly/node-folder.ts";
import { failure } from "../conformance/sqlite-folder.ts";
import { runCli } from "./cli-terminal.ts";
import { inEmptyFolder } from "./program.ts";
import { execChildSync } from "./spawn-child.ts";

const isRoot = process.getuid?.() === 0;
const otherUser = 65_534;

/** Paths below a folder, itself included, on which the group or others have rights. */
function sharedPaths(folder: string): readonly string[] {
  const below = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  return [folder, ...below].filter((path) => (lstatSync(path).mode & 0o077) !== 0);
}

/** Runs the work under a umask that hides nothing. */
async function underOpenUmask(work: () => Promise<unknown>): Promise<void> {
  const before = process.umask(0o000);
  try {
    await work();
  } finally {
    process.umask(before);
  }
}

async function fill(data: string, report: (message: string) => void = () => undefined): Promise<void> {
  const client = await open(data, { report });
  await client.entities.create("note", "a", { text: "TOPSECRET" });
  await client.close();
}

test(
  "an embedded journal in an open folder makes the folder and each file private, warns, and keeps the umask [X14]",
  inEmptyFolder(async (folder) => {
    const data = join(folder, "data");
    await underOpenUmask(async () => {
      const warnings: string[] = [];
      mkdirSync(data, { mode: 0o755 });
      await fill(data, (message) => warnings.push(message));
      writeFileSync(join(folder, "other"), "");
      assert.equal(lstatSync(join(folder, "other")).mode & 0o777, 0o666, "the umask belongs to the program");
      assert.match(warnings.join(), /other users of this host could read or write .*data; their rights are removed/u);
      await fill(join(folder, "new"), (message) => warnings.push(message));
      assert.equal(warnings.length, 1, "a new folder is private from the start");
    });
    assert.deepEqual([...sharedPaths(data), ...sharedPaths(join(folder, "new"))], []);
  }),
);

test(
  "a start removes the rights of others on every file of the journal, and another user cannot read it [X14]",
  inEmptyFolder(async (folder) => {
    const data = join(folder, "data");
    await fill(data);
    const files = ["journal.db", "index.db", "checkpoint.db", "owner.db", "identity"].map((name) => join(data, name));
    mkdirSync(join(data, "archive"));
    files.push(join(data, "archive", "000000000001-000000000002.ndjson.gz"));
    writeFileSync(files.at(-1) ?? "", "");
    for (const path of [...files, join(data, "archive"), data, folder, join(folder, "..")]) chmodSync(path, 0o755);
    const read = (): string =>
      execChildSync("setpriv", ["--reuid", "65534", "--clear-groups", "cat", join(data, "journal.db")], {
        encoding: "latin1",
        stdio: ["ignore", "pipe", "ignore"],
      });
    if (isRoot) assert.match(read(), /TOPSECRET/u, "the attack works before the start");
    const warnings: string[] = [];
    const client = await open(data, { report: (message) => warnings.push(message) });
    assert.deepEqual(sharedPaths(data), []);
    assert.match(warnings.join(), /could read or write \d paths in .*data/u);
    if (isRoot) assert.throws(read);
    await client.close();
  }),
);

test(
  "an open folder that is not ours to change is refused with the command to run, and its rights stay [X14]",
  inEmptyFolder(async (folder) => {
    const shared = join(folder, "shared");
    mkdirSync(shared);
    chmodSync(shared, 0o755);
    writeFileSync(join(shared, "thesis.txt"), "");
    const refused = (says: RegExp) => failure("invalid", { says });
    await assert.rejects(open(shared), refused(/also holds other files, such as "thesis.txt": run `chmod -R go= /u));
    assert.equal(lstatSync(shared).mode & 0o777, 0o755);
    assert.ok(!existsSync(join(shared, "journal.db")));
    const target = join(folder, "target");
    mkdirSync(target);
    chmodSync(target, 0o755);
    symlinkSync(target, join(folder, "link"));
    await assert.rejects(open(join(folder, "link")), refused(/is a symbolic link: run `chmod/u));
    if (isRoot) {
      chownSync(target, otherUser, otherUser);
      await assert.rejects(open(target), refused(/belongs to user 65534: run `chmod/u));
      assert.throws(() => makeNodeFolder(target, () => undefined), { code: "cannot_start" });
    }
    assert.equal(lstatSync(target).mode & 0o777, 0o755);
  }),
);

test(
  "a node on a shared database keeps its own folder private too [X14]",
  inEmptyFolder(async (folder) => {
    const data = join(folder, "node");
    mkdirSync(data);
    chmodSync(data, 0o777);
    const warnings: string[] = [];
    makeNodeFolder(data, (message) => warnings.push(message));
    assert.deepEqual([sharedPaths(data), warnings.length], [[], 1]);
    return Promise.resolve();
  }),
);

test(
  "backup, restore, export and import write files that only their user can read, under any umask [X14]",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"));
    for (const line of [
      "backup saved",
      "restore saved --data second",
      "journal export --to journal.ndjson",
      "journal import journal.ndjson --data third",
      "checkpoint --data third",
    ]) {
      await underOpenUmask(async () => {
        const { code, err } = await runCli(line, { folder });
        assert.equal(code, 0, err);
      });
    }
    const made = ["saved", "second", "third"].flatMap((name) => sharedPaths(join(folder, name)));
    assert.deepEqual([...made, lstatSync(join(folder, "journal.ndjson")).mode & 0o777], [0o600]);
  }),
);

test(
  "an export never follows a link that another user left at the name of its part [X14]",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"));
    writeFileSync(join(folder, "victim"), "mine");
    symlinkSync(join(folder, "victim"), join(folder, "journal.ndjson.part"));
    assert.equal((await runCli("journal export --to journal.ndjson", { folder })).code, 0);
    assert.equal(lstatSync(join(folder, "victim")).size, 4);
  }),
);

test("each command that writes data creates files for its user alone [X14]", async () => {
  const names = (await allCommands.all()).filter(({ writesData }) => writesData === true).map(({ name }) => name);
  const expected = ["up", "backup", "restore", "journal import", "journal export", "archive", "checkpoint", "erase"];
  assert.deepEqual(names.sort(), expected.sort());
});

test(
  "settings and kinds from a file that another user can write are refused with the command to run [X14]",
  inEmptyFolder(async (folder) => {
    const data = join(folder, ".holdfast");
    await fill(data);
    const config = join(data, "holdfast.json");
    writeFileSync(config, "{}");
    chmodSync(config, 0o646);
    const up = await runCli("up --print-config", { folder });
    assert.equal(up.code, 2);
    assert.match(up.err, /holdfast\.json is writable by other users: check its content, then run `chmod go-w /u);
    writeFileSync(join(folder, "kinds.ts"), "throw new Error('code of another user');");
    chmodSync(join(folder, "kinds.ts"), 0o602);
    const verify = await runCli("verify --kinds kinds.ts", { folder });
    assert.equal(verify.code, 2);
    assert.match(verify.err, /kinds\.ts is writable by other users/u);
    if (!isRoot) return;
    chmodSync(config, 0o600);
    chownSync(config, otherUser, otherUser);
    assert.match((await runCli("up --print-config", { folder })).err, /belongs to user 65534, not to user 0 or root/u);
  }),
);
