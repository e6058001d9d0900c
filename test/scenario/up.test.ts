/** The command for a new user: started from an arbitrary folder, without any preparation. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { open } from "holdfast";
import { holdfast } from "./holdfast-command.ts";
import { makeNewerJournal } from "./newer-journal.ts";
import { type Ended, inEmptyFolder, type Program } from "./program.ts";

async function stop(program: Program, signal: NodeJS.Signals = "SIGTERM"): Promise<Ended> {
  program.signal(signal);
  return program.ended;
}

test(
  "up prints the path of its data, how to use it and how to stop it, and stops cleanly",
  inEmptyFolder(async (folder) => {
    const program = holdfast(folder, "up");
    await program.line(/Ctrl\+C/);
    const { code, lines, errors } = await stop(program);
    const text = lines.join("\n");
    assert.ok(text.includes(`data      ${join(folder, ".holdfast")}`), text);
    assert.match(text, /position {2}0 \(epoch 1\)/);
    assert.match(text, /address {3}http:\/\/127\.0\.0\.1:[0-9]+/);
    assert.match(text, /stopped at position 0\.$/);
    assert.deepEqual({ code, errors }, { code: 0, errors: "" });
    assert.ok(existsSync(join(folder, ".holdfast", "journal.db")));
    assert.equal(readFileSync(join(folder, ".holdfast", ".gitignore"), "utf8"), "*\n", "git adds nothing of it");
  }),
);

test(
  "up finds its folder by the option, then by the environment, and with --json prints one event per line",
  inEmptyFolder(async (folder) => {
    const env = { HOLDFAST_DATA: "named" };
    for (const [args, data] of [
      ["up --json", "named"],
      ["up --json --data given", "given"],
      ["up --data=given --json", "given"],
    ] as const) {
      const program = holdfast(folder, args, { env });
      await program.line(/"event":"up"/);
      const { code, lines } = await stop(program, "SIGINT");
      const [up, stopping, stopped] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      assert.equal(up?.["data"], join(folder, data));
      assert.equal(up["position"], 0);
      assert.deepEqual(stopping, { event: "stopping", signal: "SIGINT" });
      assert.deepEqual(stopped, { event: "stopped", position: 0 });
      assert.equal(code, 0);
    }
  }),
);

test(
  "up starts with the data that a program wrote to its folder, and after it stops the program reads the data again [X1]",
  inEmptyFolder(async (folder) => {
    const data = join(folder, ".holdfast");
    const before = await open(data);
    await before.entities.create("note", "first", { text: "kept" });
    await before.entities.patch("note", "first", { merge: { text: "kept and changed" } });
    await before.close();
    const program = holdfast(folder, "up --json");
    const up = JSON.parse(await program.line(/"event":"up"/)) as Record<string, unknown>;
    assert.deepEqual([up["position"], up["entity_count"], up["epoch"]], [2, 1, 1]);
    assert.match((await stop(program)).lines.at(-1) ?? "", /"stopped","position":2/);
    const after = await open(data);
    assert.deepEqual((await after.entities.get("note", "first")).value, { text: "kept and changed" });
    await after.close();
  }),
);

test(
  "a second owner of a folder gets one sentence that names the owning process, and the first is not disturbed",
  inEmptyFolder(async (folder) => {
    const first = holdfast(folder, "up");
    await first.line(/Ctrl\+C/);
    const second = await holdfast(folder, "up").ended;
    assert.equal(second.code, 3);
    assert.match(second.errors, new RegExp(`in use by process ${first.pid} .*Only one process may own it`));
    assert.equal(second.errors.trim().split("\n").length, 1, "one sentence, not a stack trace");
    const asked = await holdfast(folder, "up --json").ended;
    const [failed] = asked.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual([failed?.["event"], failed?.["code"], failed?.["exit"]], ["failed", "owned", 3]);
    assert.equal((await stop(first)).code, 0);
    const third = holdfast(folder, "up");
    await third.line(/Ctrl\+C/);
    assert.equal((await stop(third)).code, 0);
  }),
);

test(
  "a second signal ends up without waiting, and the folder stays intact",
  inEmptyFolder(async (folder) => {
    const program = holdfast(folder, "up");
    await program.line(/Ctrl\+C/);
    program.signal("SIGTERM");
    await program.line(/stopping/);
    program.signal("SIGTERM");
    const { code, signal } = await program.ended;
    assert.ok(code === 0 || signal === "SIGTERM", "it had stopped already, or the signal stopped it");
    const again = holdfast(folder, "up");
    await again.line(/Ctrl\+C/);
    assert.equal((await stop(again)).code, 0);
  }),
);

test(
  "Ctrl+C that arrives twice, from the terminal and forwarded by npm, stops up cleanly [X12]",
  inEmptyFolder(async (folder) => {
    const program = holdfast(folder, "up");
    await program.line(/Ctrl\+C/);
    program.signal("SIGINT");
    await program.line(/stopping/);
    program.signal("SIGINT");
    const { code, lines } = await program.ended;
    assert.deepEqual([code, lines.at(-1)], [0, "stopped at position 0."]);
  }),
);

test(
  "up reports damaged or unusable data in one sentence, and its exit code identifies the cause",
  inEmptyFolder(async (folder) => {
    const data = join(folder, ".holdfast");
    const holdfastBefore = await open(data);
    await holdfastBefore.entities.create("note", "first", { text: "kept" });
    await holdfastBefore.close();
    const tamper = (sql: string): void => {
      const database = new DatabaseSync(join(data, "journal.db"));
      database.exec(sql);
      database.close();
    };
    const assertFails = async (code: number, says: RegExp): Promise<void> => {
      const ended = await holdfast(folder, "up").ended;
      assert.equal(ended.code, code, ended.errors);
      assert.match(ended.errors, says);
      assert.equal(ended.errors.trim().split("\n").length, 1);
    };
    tamper("PRAGMA user_version = 9");
    await assertFails(5, /format 9.*newer/);
    tamper("PRAGMA user_version = 1; UPDATE batches SET lines = replace(lines, 'note', 'nota')");
    await assertFails(4, /damaged at position 1/);
    writeFileSync(join(folder, "file"), "");
    const ended = await holdfast(folder, "up --data file").ended;
    assert.equal(ended.code, 6);
  }),
);

test(
  "up refuses a history that newer rules decided, in one sentence, and skips no entry",
  inEmptyFolder(async (folder) => {
    await makeNewerJournal(folder);
    const { code, errors } = await holdfast(folder, "up").ended;
    assert.equal(code, 5, errors);
    assert.match(errors, /entry 1 was decided by rules 99, which this build does not know/);
  }),
);

for (const [args, code, says] of [
  ["", 2, /no command given\. See `holdfast --help`/],
  ["upp", 2, /unknown command upp; did you mean up\?/],
  ["--versoin", 2, /unknown option --versoin/],
  ["up --dta x", 2, /unknown option --dta; did you mean --data\?/],
  ["up --data", 2, /--data needs a value: --data=DIR/],
  ["up --data --json", 2, /"code":"usage".*--data needs a value/],
  ["up --json=yes", 2, /--json takes no value/],
  ["up now", 2, /unexpected argument "now" of up/],
  ["help upp", 2, /did you mean up\?/],
  ["--version", 0, /^holdfast \d+\.\d+\.\d+/],
  ["--help", 0, /Commands:[^]*up [^]*holdfast help exit-codes/],
  ["help up", 0, /Usage: holdfast up[^]*--data DIR[^]*HOLDFAST_DATA/],
  ["up --help", 0, /Usage: holdfast up/],
] as const) {
  test(
    `"holdfast${args === "" ? "" : ` ${args}`}" is answered in one sentence, without access to any data`,
    inEmptyFolder(async (folder) => {
      const ended = await holdfast(folder, args).ended;
      assert.equal(ended.code, code, ended.errors);
      const isPrinted = code === 0 || args.endsWith("--json");
      assert.match(isPrinted ? ended.lines.join("\n") : ended.errors, says);
      assert.ok(!existsSync(join(folder, ".holdfast")));
    }),
  );
}
