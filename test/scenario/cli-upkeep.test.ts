/** The commands of an operator on a data folder: backup, restore, checkpoint, archive, erase. */
import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "holdfast";
import { genesis, seal } from "../../server/src/journal/seal.ts";
import { openSqliteJournal } from "../../server/src/journal/sqlite/open.ts";
import { sampleHistory } from "../machine/sample-history.ts";
import { tamper } from "./forge.ts";
import { runHere } from "./cli-terminal.ts";
import { holdfast, jsonLines } from "./holdfast-command.ts";
import { inEmptyFolder } from "./program.ts";

/** 1 created, 2 merged, 3 replaced, so that the state depends only on 3. */
async function fill(data: string): Promise<void> {
  const { entities, close } = await open(data);
  await entities.create("note", "a", { secret: "one" }, { key: "first" });
  await entities.patch("note", "a", { merge: { secret: "two" } });
  await entities.replace("note", "a", { text: "three" });
  await close();
}

async function jsonOf(folder: string, line: string | readonly string[]): Promise<Record<string, unknown>> {
  const args = typeof line === "string" ? line.split(" ") : line;
  const ended = await runHere(folder, [...args, "--json"]);
  assert.equal(ended.lines.length, 1, ended.errors + ended.lines.join("\n"));
  return { ...jsonLines(ended)[0], exit: ended.code };
}

/** Starts Holdfast on a folder and stops it again. Returns the first entry of that start. */
async function firstEntryAfterStart(folder: string, data: string): Promise<string> {
  const before = Number((await jsonOf(folder, `verify --data ${data}`))["position"]);
  const up = holdfast(folder, `up --data ${data}`);
  await up.line(/Ctrl\+C/);
  up.signal("SIGTERM");
  assert.equal((await up.ended).code, 0);
  return (await runHere(folder, `journal list --data ${data} --after ${before} --limit 1`)).lines[0] ?? "";
}

test(
  "a backup of a running server can be restored, and the restored folder is valid and begins a new epoch [X1]",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"));
    const up = holdfast(folder, "up");
    await up.line(/Ctrl\+C/);
    const made = await jsonOf(folder, "backup saved");
    assert.deepEqual([made["exit"], made["position"]], [0, 3]);
    up.signal("SIGTERM");
    await up.ended;
    const again = await runHere(folder, "backup saved");
    assert.equal(again.code, 7);
    assert.match(again.errors, /not empty. Existing files are never overwritten/);
    const restored = await jsonOf(folder, "restore saved --data second");
    assert.deepEqual([restored["exit"], restored["head"]], [0, made["head"]]);
    assert.equal((await jsonOf(folder, `verify --data second --head ${String(made["head"])}`))["exit"], 0);
    assert.match(await firstEntryAfterStart(folder, "second"), /4 .* holdfast space\.epoch_raised: space because/);
    assert.equal((await jsonOf(folder, "verify --data second"))["ok"], true);
    assert.equal((await runHere(folder, "restore nothing --data third")).code, 7);
  }),
);

test(
  "an imported journal begins a new epoch at its first start, because its history may continue elsewhere",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"));
    await runHere(folder, "journal export --to journal.ndjson");
    await runHere(folder, "journal import journal.ndjson --data copy");
    assert.match(await firstEntryAfterStart(folder, "copy"), /4 .* holdfast space\.epoch_raised: space because/);
    assert.equal((await jsonOf(folder, "verify --data copy"))["ok"], true);
  }),
);

test(
  "checkpoint saves the state of the last position, and verify accepts it",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"));
    const saved = await jsonOf(folder, "checkpoint");
    assert.deepEqual([saved["exit"], saved["event"], saved["position"]], [0, "saved", 3]);
    const { lines } = await runHere(folder, "checkpoint");
    assert.deepEqual(lines, ["saved a checkpoint of position 3."]);
    assert.equal((await jsonOf(folder, "verify"))["ok"], true);
  }),
);

test(
  "erase removes a payload, and verify, get, history and exports report it and stay valid [X1 X9]",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"));
    const erased = await jsonOf(folder, ["erase", "1", "--reason", "asked for"]);
    assert.deepEqual([erased["exit"], erased["position"], erased["erased_by"]], [0, 1, 4]);
    const verified = await jsonOf(folder, "verify");
    assert.deepEqual([verified["ok"], verified["erased"], verified["entries"]], [true, 1, 4]);
    const gone = await jsonOf(folder, "get note/a --version 1");
    assert.deepEqual([gone["exit"], gone["code"]], [7, "entry_erased"]);
    assert.equal((await jsonOf(folder, "get note/a"))["version"], 3);
    const { lines } = await runHere(folder, "history note/a");
    assert.match(lines.at(-1) ?? "", /^ +1 .*erased by entry 4$/);
    const listed = await runHere(folder, "journal list");
    assert.match(listed.lines[0] ?? "", /\[erased by entry 4\]/);
    await runHere(folder, "journal export --to journal.ndjson");
    const imported = await jsonOf(folder, "journal import journal.ndjson --data copy");
    assert.deepEqual([imported["ok"], imported["head"]], [true, verified["head"]]);
  }),
);

test(
  "erase is refused for an entry that the state depends on, and for a missing entry",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"));
    for (const [position, code] of [
      [3, "entry_in_use"],
      [9, "entry_not_found"],
    ] as const) {
      const refused = await jsonOf(folder, ["erase", String(position), "--reason", "x"]);
      assert.deepEqual([refused["exit"], refused["code"]], [7, code]);
    }
    assert.equal((await jsonOf(folder, "verify"))["erased"], 0);
  }),
);

test(
  "verify finds a payload that was removed without an entry that records the erasure [X1]",
  inEmptyFolder(async (folder) => {
    const data = join(folder, ".holdfast");
    await fill(data);
    const sql = "UPDATE batches SET lines = substr(lines, 1, instr(lines, char(10))) || ? WHERE first = 2";
    for (const [line, found] of [
      ['{"erased":3}', "entry 3 does not erase it"],
      ['{"erased":77}', "there is no entry 77"],
    ] as const) {
      tamper(data, sql, line);
      const { exit, first_bad: bad } = await jsonOf(folder, "verify");
      const expected = { position: 2, what: "erasure", expected: "its payload, or an entry that erased it", found };
      assert.deepEqual([exit, bad], [4, expected]);
    }
  }),
);

test(
  "verify, export and get read archived entries, and report missing archive files [X1 X9]",
  inEmptyFolder(async (folder) => {
    const data = join(folder, ".holdfast");
    const entries = sampleHistory(5, 300);
    const journal = await openSqliteJournal({ folder: data, startedAt: "today" });
    let after = genesis;
    for (const entry of entries) {
      const batch = seal([entry], after, ["salt"]);
      await journal.append(batch);
      after = batch.head;
    }
    await journal.close();
    const before = await jsonOf(folder, "verify");
    const lines = (await runHere(folder, "journal export")).lines;
    assert.equal(lines.length, entries.length);
    const subject = entries[0]?.events[0]?.subject ?? "";
    const seen = await jsonOf(folder, `get ${subject} --at 1`);
    const archived = await jsonOf(folder, "archive --keep-days 2");
    assert.deepEqual([archived["exit"], archived["event"]], [0, "archived"]);
    assert.ok(Number(archived["to"]) >= entries.length - 1 && Number(archived["segments"]) > 0);
    const nothingNew = await runHere(folder, "archive --before 2001-01-31");
    assert.match(nothingNew.lines.join("\n"), /nothing to archive/);
    const verified = await jsonOf(folder, "verify");
    assert.deepEqual([verified["ok"], verified["head"]], [true, before["head"]]);
    assert.deepEqual((await runHere(folder, "journal export")).lines, lines);
    assert.deepEqual(await jsonOf(folder, `get ${subject} --at 1`), seen);
    for (const file of readdirSync(join(data, "archive"))) rmSync(join(data, "archive", file));
    const gone = await jsonOf(folder, `get ${subject} --at 1`);
    assert.deepEqual([gone["exit"], gone["code"]], [7, "archived"], JSON.stringify(gone));
    assert.notEqual((await runHere(folder, "verify")).code, 0);
  }),
);

test(
  "archive refuses entries in the idempotency window",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"));
    const { code, errors } = await runHere(folder, "archive --keep-days 0");
    assert.equal(code, 7);
    assert.match(errors, /in the idempotency window and cannot be archived\. Use --before \d{4}-.*Z\./);
  }),
);

test(
  "commands that change a folder are refused with the process id of the server that has it open",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"));
    const up = holdfast(folder, "up");
    await up.line(/Ctrl\+C/);
    for (const line of ["checkpoint", "archive --keep-days 9", "erase 1 --reason x"]) {
      const { code, errors } = await runHere(folder, line);
      assert.equal(code, 3, errors);
      assert.match(errors, new RegExp(`in use by process ${up.pid}`));
    }
    up.signal("SIGTERM");
    await up.ended;
    for (const line of ["checkpoint", "archive --keep-days 9", "erase 1 --reason x"]) {
      const { code, errors } = await runHere(folder, `${line} --data elsewhere`);
      assert.equal(code, 7, errors);
      assert.match(errors, /There is no journal in/);
    }
  }),
);
