/** Help and usage errors of the commands that work on a data folder. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runHere } from "./cli-terminal.ts";
import { inEmptyFolder } from "./program.ts";

/** The commands that work on a data folder. */
const commands = [
  "verify",
  "get",
  "history",
  "journal list",
  "journal follow",
  "journal export",
  "journal import",
  "backup",
  "restore",
  "checkpoint",
  "archive",
  "erase",
];

test(
  "the help of each command on a data folder contains its options and an example, and one page has the exit codes",
  inEmptyFolder(async (folder) => {
    const general = await runHere(folder, "--help");
    assert.match(
      (await runHere(folder, "help exit-codes")).lines.join("\n"),
      /^Exit codes:[^]*4 +the journal is damaged/,
    );
    for (const name of commands) {
      assert.ok(
        general.lines.some((line) => line.startsWith(`  ${name} `)),
        name,
      );
      const { code, lines } = await runHere(folder, `help ${name}`);
      assert.equal(code, 0);
      const text = lines.join("\n");
      assert.ok(text.startsWith(`Usage: holdfast ${name}`), text);
      assert.match(text, new RegExp(`\\n  (\\S+ < \\S+ \\| )?holdfast ${name}`), "an example");
      assert.match(text, /--data DIR/);
      assert.match(text, /--json/);
      assert.doesNotMatch(text, /Exit codes:/, "one page has the exit codes");
      assert.match(text, /`holdfast help exit-codes`/);
      assert.ok(
        lines.every((line) => line.length <= 120),
        `${name} has a line that is too long`,
      );
    }
  }),
);

for (const [line, message] of [
  ["journal", /journal needs a subcommand: journal list, journal follow, journal export, journal import/],
  ["journal lst", /unknown command journal lst; did you mean journal list\?/],
  ["vrify", /did you mean verify\?/],
  ["verify now", /unexpected argument "now" of verify/],
  ["verify --head 12", /--head must be a position and a hash, like 12:9f86…, not "12"/],
  ["verify --kinds gone.js", /cannot load \S*gone\.js/],
  ["journal list --limit 0", /--limit must be an integer of at least 1, not "0"/],
  ["journal list --after -1", /--after needs a value/],
  ["lock a --wait 30s", /the value of --wait follows an equals sign: --wait=30s/],
  ["journal list --after x", /--after must be an integer of at least 0, not "x"/],
  ["journal import", /journal import needs FILE/],
  ["get", /get needs TYPE\/ID/],
  ["get note", /an entity name must be TYPE\/ID, like note\/first, not "note"/],
  ["get note/a --version 1 --at 2", /--version or --at, not both/],
  ["erase", /erase needs POSITION/],
  ["erase first --reason x", /POSITION must be an integer of at least 1, not "first"/],
  ["erase 1", /--reason is required/],
  ["archive", /use either --before or --keep-days/],
  ["archive --before yesterday", /--before must be a date like 2026-01-31, not "yesterday"/],
  ["archive --before 2026-13-01", /--before must be a date/],
  ["backup", /backup needs TO/],
  ["restore", /restore needs FROM/],
] as const) {
  test(
    `"holdfast ${line}" is a usage error, one sentence explains it, and no folder is created`,
    inEmptyFolder(async (folder) => {
      const { code, lines, errors } = await runHere(folder, line);
      assert.equal(code, 2, errors);
      assert.match(errors, message);
      assert.match(errors, /See `holdfast (--help|help [a-z ]+)`\.\n$/);
      assert.equal(errors.trim().split("\n").length, 1, "one sentence, not a stack trace");
      assert.deepEqual(lines, []);
      assert.ok(!existsSync(join(folder, ".holdfast")));
    }),
  );
}

for (const [line, message] of [
  ["--json", "unknown option --json. See `holdfast --help`."],
  ["vrify --json", "unknown command vrify; did you mean verify? See `holdfast --help`."],
  ["journal --json", /^journal needs a subcommand/],
  ["journal export --json", /^--json needs --to/],
  ["verify --json --nosuch", "unknown option --nosuch. See `holdfast help verify`."],
  ["get note --json", /^an entity name must be TYPE\/ID/],
] as const) {
  test(
    `"holdfast ${line}" is a usage error, and prints one JSON object with its code to standard output`,
    inEmptyFolder(async (folder) => {
      const { code, lines, errors } = await runHere(folder, line);
      assert.deepEqual([code, lines.length, errors], [2, 1, ""]);
      const { message: found, ...rest } = JSON.parse(lines[0] ?? "") as Record<string, unknown>;
      assert.deepEqual(rest, { event: "failed", code: "usage", exit: 2 });
      if (typeof message === "string") assert.equal(found, message);
      else assert.match(String(found), message);
    }),
  );
}

test(
  "a usage error of `holdfast lock --json` goes to standard error, and a --json after `--` belongs to the command",
  inEmptyFolder(async (folder) => {
    const json = await runHere(folder, "lock a --json --wait=1s --no-wait -- echo");
    assert.deepEqual([json.code, json.lines], [2, []]);
    assert.equal((JSON.parse(json.errors) as Record<string, unknown>)["code"], "usage");
    const text = await runHere(folder, "lock a --wait=1s --no-wait -- echo --json");
    assert.match(text.errors, /^holdfast: use --wait or --no-wait, not both/u);
  }),
);

test(
  "a usage error escapes control characters in the arguments that it quotes",
  inEmptyFolder(async (folder) => {
    const args = ["up\u001b[2J\u202e", "extra"];
    for (const line of [args, ["verify", ...args, ...args]]) {
      const { code, errors } = await runHere(folder, line);
      assert.equal(code, 2);
      assert.match(errors, /\\x1b\[2J\\u202e/u);
      assert.doesNotMatch(errors, /[\u001b\u202e]/u);
    }
  }),
);
