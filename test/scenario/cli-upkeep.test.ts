/** What an operator does to a data folder: backup, restore, checkpoint, archive, erase. */
import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "holdfast";
import { genesis, seal } from "../../server/src/journal/seal.ts";
import { openSqliteJournal } from "../../server/src/journal/sqlite/open.ts";
import { sampleHistory } from "../machine/sample-history.ts";
import { tamper } from "./forge.ts";
import { holdfast, jsonLines, run } from "./holdfast-command.ts";
import { inEmptyFolder } from "./program.ts";

/** 1 created, 2 merged, 3 replaced, so that the state rests on 3 alone. */
async function fill(data: string): Promise<void> {
  const { entities, close } = await open(data);
  await entities.create("note", "a", { secret: "one" }, { key: "first" });
  await entities.patch("note", "a", { merge: { secret: "two" } });
  await entities.replace("note", "a", { text: "three" });
  await close();
}

async function facts(folder: string, words: string | readonly string[]): Promise<Record<string, unknown>> {
  const list = typeof words === "string" ? words.split(" ") : words;
  const ended = await run(folder, [...list, "--json"]);
  assert.equal(ended.lines.length, 1, ended.errors + ended.lines.join("\n"));
  return { ...jsonLines(ended)[0], exit: ended.code };
}

/** Starts Holdfast on a folder and stops it again; returns the first entry that this brought about. */
async function firstEntryAfterStart(folder: string, data: string): Promise<string> {
  const before = Number((await facts(folder, `verify --data ${data}`))["position"]);
  const up = holdfast(folder, `up --data ${data}`);
  await up.line(/Ctrl\+C/);
  up.signal("SIGTERM");
  assert.equal((await up.ended).code, 0);
  return (await run(folder, `journal list --data ${data} --after ${before} --limit 1`)).lines[0] ?? "";
}

test(
  "a backup is made while Holdfast runs, and what is restored from it is sound and begins a new epoch [X1]",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"));
    const up = holdfast(folder, "up");
    await up.line(/Ctrl\+C/);
    const made = await facts(folder, "backup saved");
    assert.deepEqual([made["exit"], made["position"]], [0, 3]);
    up.signal("SIGTERM");
    await up.ended;
    const again = await run(folder, "backup saved");
    assert.equal(again.code, 7);
    assert.match(again.errors, /not empty. Existing files are never overwritten/);
    const restored = await facts(folder, "restore saved --data second");
    assert.deepEqual([restored["exit"], restored["head"]], [0, made["head"]]);
    assert.equal((await facts(folder, `verify --data second --head ${String(made["head"])}`))["exit"], 0);
    assert.match(await firstEntryAfterStart(folder, "second"), /4 .* raise-epoch {2}done {2}space\.epoch_raised/);
    assert.equal((await facts(folder, "verify --data second"))["ok"], true);
    assert.equal((await run(folder, "restore nothing --data third")).code, 7);
  }),
);

test(
  "an imported journal begins a new epoch when it is started, because its history may go on elsewhere",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"));
    await run(folder, "journal export --to journal.ndjson");
    await run(folder, "journal import journal.ndjson --data copy");
    assert.match(await firstEntryAfterStart(folder, "copy"), /4 .* raise-epoch {2}done {2}space\.epoch_raised/);
    assert.equal((await facts(folder, "verify --data copy"))["ok"], true);
  }),
);

test(
  "checkpoint saves the state of the last position, and a start and verify find the same",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"));
    const saved = await facts(folder, "checkpoint");
    assert.deepEqual([saved["exit"], saved["event"], saved["position"]], [0, "saved", 3]);
    const { lines } = await run(folder, "checkpoint");
    assert.deepEqual(lines, ["the state of position 3 is saved."]);
    assert.equal((await facts(folder, "verify"))["ok"], true);
  }),
);

test(
  "erase takes out a payload on request; verify, get, history and exports say so and stay whole [X1 X9]",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"));
    const erased = await facts(folder, ["erase", "1", "--reason", "asked for"]);
    assert.deepEqual([erased["exit"], erased["position"], erased["erased_by"]], [0, 1, 4]);
    const verified = await facts(folder, "verify");
    assert.deepEqual([verified["ok"], verified["erased"], verified["entries"]], [true, 1, 4]);
    const gone = await facts(folder, "get note/a --version 1");
    assert.deepEqual([gone["exit"], gone["code"]], [7, "entry_erased"]);
    assert.equal((await facts(folder, "get note/a"))["version"], 3);
    const { lines } = await run(folder, "history note/a");
    assert.match(lines.at(-1) ?? "", /^ +1 .*erased by entry 4$/);
    const listed = await run(folder, "journal list");
    assert.match(listed.lines[0] ?? "", /\[erased by entry 4\]/);
    await run(folder, "journal export --to journal.ndjson");
    const imported = await facts(folder, "journal import journal.ndjson --data copy");
    assert.deepEqual([imported["ok"], imported["head"]], [true, verified["head"]]);
  }),
);

test(
  "erase is refused while the state rests on the entry, and where there is none",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"));
    for (const [position, code] of [
      [3, "entry_in_use"],
      [9, "entry_not_found"],
    ] as const) {
      const refused = await facts(folder, ["erase", String(position), "--reason", "x"]);
      assert.deepEqual([refused["exit"], refused["code"]], [7, code]);
    }
    assert.equal((await facts(folder, "verify"))["erased"], 0);
  }),
);

test(
  "a payload that somebody took out without an entry that says so is found [X1]",
  inEmptyFolder(async (folder) => {
    const data = join(folder, ".holdfast");
    await fill(data);
    const sql = "UPDATE batches SET lines = substr(lines, 1, instr(lines, char(10))) || ? WHERE first = 2";
    for (const [line, found] of [
      ['{"erased":3}', "entry 3 does not say so"],
      ['{"erased":77}', "there is no entry 77"],
    ] as const) {
      tamper(data, sql, line);
      const { exit, first_bad: bad } = await facts(folder, "verify");
      const expected = { position: 2, what: "erasure", expected: "its payload, or an entry that erased it", found };
      assert.deepEqual([exit, bad], [4, expected]);
    }
  }),
);

test(
  "archived entries are verified, exported and travelled to like all others; without their files it says so [X1 X9]",
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
    const before = await facts(folder, "verify");
    const lines = (await run(folder, "journal export")).lines;
    const subject = entries[0]?.events[0]?.subject ?? "";
    const seen = await facts(folder, `get ${subject} --at 1`);
    const archived = await facts(folder, "archive --keep-days 2");
    assert.deepEqual([archived["exit"], archived["event"]], [0, "archived"]);
    assert.ok(Number(archived["to"]) >= entries.length - 1 && Number(archived["segments"]) > 0);
    const nothingNew = await run(folder, "archive --before 2001-01-31");
    assert.match(nothingNew.lines.join("\n"), /nothing new to archive/);
    const verified = await facts(folder, "verify");
    assert.deepEqual([verified["ok"], verified["head"]], [true, before["head"]]);
    assert.deepEqual((await run(folder, "journal export")).lines, lines);
    assert.deepEqual(await facts(folder, `get ${subject} --at 1`), seen);
    for (const file of readdirSync(join(data, "archive"))) rmSync(join(data, "archive", file));
    const gone = await facts(folder, `get ${subject} --at 1`);
    assert.deepEqual([gone["exit"], gone["code"]], [7, "archived"], JSON.stringify(gone));
    assert.notEqual((await run(folder, "verify")).code, 0);
  }),
);

test(
  "archive refuses what is younger than the answers to keys that are still given",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"));
    const { code, errors } = await run(folder, "archive --keep-days 0");
    assert.equal(code, 7);
    assert.match(errors, /too young: answers to idempotency keys .* Archive before \d{4}-.*Z at most/);
  }),
);

test(
  "what changes the folder needs it for itself, and says who has it",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"));
    const up = holdfast(folder, "up");
    await up.line(/Ctrl\+C/);
    for (const words of ["checkpoint", "archive --keep-days 9", "erase 1 --reason x"]) {
      const { code, errors } = await run(folder, words);
      assert.equal(code, 3, errors);
      assert.match(errors, new RegExp(`in use by process ${up.pid}`));
    }
    up.signal("SIGTERM");
    await up.ended;
    for (const words of ["checkpoint", "archive --keep-days 9", "erase 1 --reason x"]) {
      const { code, errors } = await run(folder, `${words} --data elsewhere`);
      assert.equal(code, 7, errors);
      assert.match(errors, /There is no journal in/);
    }
  }),
);
