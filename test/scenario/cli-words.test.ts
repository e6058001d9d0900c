/** What every command says about itself, and about words that it does not understand. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "./holdfast-command.ts";
import { inEmptyFolder } from "./program.ts";

/** Every command that works on a data folder. */
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
  "the general help lists every command, and each one explains itself with an example and its exit codes",
  inEmptyFolder(async (folder) => {
    const general = await run(folder, "--help");
    for (const name of commands) {
      assert.ok(
        general.lines.some((line) => line.startsWith(`  ${name} `)),
        name,
      );
      const { code, lines } = await run(folder, `help ${name}`);
      assert.equal(code, 0);
      const text = lines.join("\n");
      assert.ok(text.startsWith(`Usage: holdfast ${name}`), text);
      assert.match(text, new RegExp(`\\n  (\\S+ < \\S+ \\| )?holdfast ${name}`), "an example");
      assert.match(text, /--data DIR/);
      assert.match(text, /--json/);
      assert.match(text, /Exit codes:[^]*4 +the journal is damaged/);
      assert.ok(
        lines.every((line) => line.length <= 120),
        `${name} has a line that does not fit`,
      );
    }
  }),
);

for (const [words, says] of [
  ["journal", /followed by a word: journal list, journal follow, journal export, journal import/],
  ["journal lst", /no command journal lst; did you mean journal list\?/],
  ["journal --json", /followed by a word/],
  ["vrify", /did you mean verify\?/],
  ["verify now", /takes no word "now"/],
  ["verify --head 12", /--head takes a position and a hash, like 12:9f86…, not "12"/],
  ["verify --kinds gone.js", /gone.js can't be loaded/],
  ["journal list --limit 0", /--limit takes a whole number from 1 up, not "0"/],
  ["journal list --after -1", /--after needs a value/],
  ["journal list --after x", /--after takes a whole number from 0 up, not "x"/],
  ["journal export --json", /--json goes with --to/],
  ["journal import", /journal import needs FILE/],
  ["get", /get needs TYPE\/ID/],
  ["get note", /an entity is named TYPE\/ID, like note\/first, not "note"/],
  ["get note/a --version 1 --at 2", /--version or --at, not both/],
  ["erase", /erase needs POSITION/],
  ["erase first --reason x", /POSITION takes a whole number from 1 up, not "first"/],
  ["erase 1", /an erasure needs its reason/],
  ["archive", /give --before or --keep-days/],
  ["archive --before yesterday", /--before takes a date like 2026-01-31, not "yesterday"/],
  ["archive --before 2026-13-01", /--before takes a date/],
  ["backup", /backup needs TO/],
  ["restore", /restore needs FROM/],
] as const) {
  test(
    `"holdfast ${words}" is not understood, and a sentence says why`,
    inEmptyFolder(async (folder) => {
      const { code, lines, errors } = await run(folder, words);
      assert.equal(code, 2, errors);
      assert.match(errors, says);
      assert.match(errors, /See `holdfast (--help|help [a-z ]+)`\.\n$/);
      assert.equal(errors.trim().split("\n").length, 1, "a sentence, not a stack");
      assert.deepEqual(lines, []);
      assert.ok(!existsSync(join(folder, ".holdfast")));
    }),
  );
}

test(
  "a word that is not understood is repeated without what a terminal would obey",
  inEmptyFolder(async (folder) => {
    const words = ["up\u001b[2J\u202e", "extra"];
    for (const given of [words, ["verify", ...words, ...words]]) {
      const { code, errors } = await run(folder, given);
      assert.equal(code, 2);
      assert.match(errors, /\\x1b\[2J\\u202e/u);
      assert.doesNotMatch(errors, /[\u001b\u202e]/u);
    }
  }),
);
