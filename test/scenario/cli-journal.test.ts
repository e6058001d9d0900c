/** `holdfast journal`: list, follow, export and import. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "holdfast";
import { tamper } from "./forge.ts";
import { runHere } from "./cli-terminal.ts";
import { holdfast, jsonLines, run } from "./holdfast-command.ts";
import { inEmptyFolder } from "./program.ts";

async function fill(data: string, ids: readonly string[]): Promise<void> {
  const client = await open(data);
  for (const id of ids) await client.entities.create("note", id, { text: `note ${id} \u2028 \ud83d\ude00` });
  await client.close();
}

async function headOf(folder: string, data = ".holdfast"): Promise<string> {
  const { code, lines, errors } = await runHere(folder, `journal list --data ${data} --limit 1`);
  assert.equal(code, 0, errors);
  return /^head (\S+)$/.exec(lines.at(-1) ?? "")?.[1] ?? assert.fail(lines.join("\n"));
}

test(
  "journal list shows the newest entries and the head, the entries after a position, or those about a subject",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"), ["a", "b", "c", "d"]);
    const newest = await runHere(folder, "journal list --limit 2");
    assert.equal(newest.code, 0, newest.errors);
    assert.deepEqual(
      newest.lines.map((line) => line.trim().split(" ")[0]),
      ["3", "4", "head"],
    );
    assert.match(newest.lines[0] ?? "", /local created note\/c \(version 1\)$/);
    const after = jsonLines(await runHere(folder, "journal list --after 1 --limit 2 --json"));
    assert.deepEqual(
      after.map(({ event, position }) => [event, position]),
      [
        ["entry", 2],
        ["entry", 3],
        ["head", 4],
      ],
    );
    const about = jsonLines(await runHere(folder, "journal list --subject note/b --json"));
    assert.deepEqual(
      about.map(({ event, position }) => [event, position]),
      [
        ["entry", 2],
        ["head", 4],
      ],
    );
    assert.equal(about[1]?.["head"], await headOf(folder));
  }),
);

test(
  "journal follow shows new entries of another process until it is stopped",
  inEmptyFolder(async (folder) => {
    const data = join(folder, ".holdfast");
    await fill(data, ["a"]);
    const client = await open(data);
    const people = holdfast(folder, "journal follow --after 0");
    const programs = holdfast(folder, "journal follow --after 0 --json --subject note/c");
    await people.line(/note\/a/);
    await client.entities.create("note", "b", {});
    await client.entities.create("note", "c", {});
    await people.line(/note\/c/);
    await programs.line(/"position":3/);
    people.signal("SIGINT");
    programs.signal("SIGTERM");
    const [first, second] = await Promise.all([people.ended, programs.ended]);
    assert.deepEqual([first.code, second.code], [0, 0]);
    assert.deepEqual(
      first.lines.map((line) => line.trim().split(" ")[0]),
      ["1", "2", "3"],
    );
    assert.deepEqual(
      jsonLines(second).map(({ position }) => position),
      [3],
    );
    await client.close();
  }),
);

test(
  "an exported and imported journal has the same positions and the same head, and is valid [X1]",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"), ["a", "b", "c"]);
    const head = await headOf(folder);
    const exported = await runHere(folder, "journal export --to journal.ndjson --json");
    assert.deepEqual([exported.code, jsonLines(exported)[0]?.["head"]], [0, head], exported.errors);
    const text = readFileSync(join(folder, "journal.ndjson"), "utf8");
    const piped = await run(folder, "journal export");
    assert.equal(`${piped.lines.join("\n")}\n`, text, "standard output gets the same lines");
    const [imported] = jsonLines(await runHere(folder, "journal import journal.ndjson --data copy --json"));
    assert.deepEqual([imported?.["ok"], imported?.["entries"], imported?.["head"]], [true, 3, head]);
    assert.equal(await headOf(folder, "copy"), head);
    assert.equal((await runHere(folder, `verify --data copy --head ${head}`)).code, 0);
    const fromInput = await run(folder, "journal import - --data piped", { input: text });
    assert.equal(fromInput.code, 0, fromInput.errors);
    assert.equal(await headOf(folder, "piped"), head);
    const again = await runHere(folder, "journal export --to journal.ndjson");
    assert.equal(again.code, 2);
    assert.match(again.errors, /already exists/);
  }),
);

test(
  "an import continues at the end of a folder with the same history, and refuses another history",
  inEmptyFolder(async (folder) => {
    const data = join(folder, ".holdfast");
    await fill(data, ["a", "b"]);
    await runHere(folder, "journal export --to short.ndjson");
    await runHere(folder, "journal import short.ndjson --data copy");
    await fill(data, ["c", "d"]);
    await runHere(folder, "journal export --to long.ndjson");
    const [continued] = jsonLines(await runHere(folder, "journal import long.ndjson --data copy --json"));
    assert.deepEqual([continued?.["entries"], continued?.["head"]], [2, await headOf(folder)]);
    const shorter = await runHere(folder, "journal import short.ndjson --data copy");
    assert.equal(shorter.code, 7, shorter.errors);
    assert.match(shorter.errors, /last entry, 4, is not in this file, which ends before it/);
    await fill(join(folder, "other"), ["x"]);
    const other = await runHere(folder, "journal import long.ndjson --data other");
    assert.equal(other.code, 7);
    assert.match(other.errors, /Nothing was changed/);
    assert.match(await headOf(folder, "other"), /^1:/);
  }),
);

test(
  "an import keeps the valid batches and stops at the first invalid one [X1]",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"), ["a", "b", "c"]);
    const { lines } = await run(folder, "journal export");
    writeFileSync(join(folder, "bad.ndjson"), lines.join("\n").replace("note b", "note x"));
    const bad = await runHere(folder, "journal import bad.ndjson --data copy --json");
    const [summary] = jsonLines(bad);
    assert.deepEqual([bad.code, summary?.["ok"], summary?.["entries"]], [4, false, 1]);
    assert.match(await headOf(folder, "copy"), /^1:/);
    writeFileSync(join(folder, "no.ndjson"), "hello\n");
    const none = await runHere(folder, "journal import no.ndjson --data empty");
    assert.equal(none.code, 4);
    assert.match(none.errors, /Line 1 of .*no\.ndjson is not a batch/);
    const missing = await runHere(folder, "journal import gone.ndjson --data empty");
    assert.equal(missing.code, 6);
    assert.match(missing.errors, /cannot read \S*gone\.ndjson/);
  }),
);

test(
  "an import is refused while a server has the folder open, but reading commands work",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"), ["a"]);
    await runHere(folder, "journal export --to journal.ndjson");
    const up = holdfast(folder, "up");
    await up.line(/Ctrl\+C/);
    const imported = await runHere(folder, "journal import journal.ndjson --json");
    assert.deepEqual([imported.code, jsonLines(imported)[0]?.["code"]], [3, "owned"]);
    for (const line of ["verify", "journal list", "journal export --to read.ndjson", "get note/a", "history note/a"]) {
      const { code, errors } = await runHere(folder, line);
      assert.equal(code, 0, `${line}: ${errors}`);
    }
    up.signal("SIGTERM");
    await up.ended;
  }),
);

test(
  "reading commands report a folder without a journal and do not create one",
  inEmptyFolder(async (folder) => {
    for (const line of ["verify", "journal list", "journal follow", "journal export", "get note/a", "history note/a"]) {
      const { code, errors } = await runHere(folder, line);
      assert.equal(code, 7, `${line}: ${errors}`);
      assert.equal(errors.trim().split("\n").length, 1, errors);
    }
    assert.ok(!existsSync(join(folder, ".holdfast")));
  }),
);

test(
  "journal list reports the position of a damaged batch",
  inEmptyFolder(async (folder) => {
    const data = join(folder, ".holdfast");
    await fill(data, ["a", "b"]);
    tamper(data, "UPDATE batches SET lines = replace(lines, 'note b', 'note x')");
    const { code, errors } = await runHere(folder, "journal list");
    assert.equal(code, 4);
    assert.match(errors, /damaged at position 2/);
  }),
);
