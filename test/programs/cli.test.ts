/** The commands `holdfast program …`. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { textItems } from "../../server/src/doors/cli/program/text-items.ts";
import { withCliServer } from "../scenario/cli-terminal.ts";

const texts = `/// Keeps x between low and high.
pub fn clamp(x: i64, low: i64, high: i64) -> i64
  requires low <= high
  ensures result >= low and result <= high
{
  // the common case last
  if x < low { low } else if x > high { high } else { x }
}

struct Account {
  cents: i64,
  invariant cents >= 0
}

pub fn sum_of(a: Account, b: Account) -> i64 { a.cents +% b.cents }
`;

test(
  "`holdfast program` creates, applies, shows, compares, undoes and verifies, under the locks that it acquires [G6 G7 G10]",
  withCliServer(async ({ cli, cliJson, folder }) => {
    const write = (text: string): void => writeFileSync(join(folder, "work.txt"), text);
    assert.match((await cli("program list")).out, /There is no program/u);
    assert.equal((await cli("program create ledger --title Ledger")).out, "created ledger, at version 1.\n");
    write(texts);
    const checked = await cli("program check ledger work.txt");
    assert.deepEqual([checked.code, checked.out], [0, "ledger: the change is valid.\n"]);
    const added = await cli("program apply ledger work.txt --name ann --description start");
    assert.match(
      added.out,
      /clamp \(f1\) added, version 1\n {2}sum_of \(f2\) added.*\n {2}Account \(t1\) added/u,
      added.err,
    );
    assert.match((await cli("program show ledger")).out, /f2 +m0 +1 +0 +pub fn sum_of/u);
    const shown = await cli("program show ledger/f1 ledger/t1");
    assert.match(shown.out, /^@id\("f1"\) @version\(1\)\n\/\/\/ Keeps x[\s\S]*\n\n@id\("t1"\) @version\(1\)\nstruct/u);
    write(shown.out.replace("x < low", "x <= low"));
    const changed = await cli("program apply ledger work.txt --name bob");
    assert.match(changed.out, /clamp \(f1\) changed, version 2/u, changed.err);
    assert.equal((await cli("locks")).out, "No locks are held.\n", "the locks are released");
    write(shown.out.replace("x < low", "low > x"));
    const conflict = await cli("program apply ledger work.txt --name ann");
    assert.equal(conflict.code, 7);
    assert.match(conflict.err, /programs\.hash_conflict[\s\S]*f1, changed at[\s\S]*\+ {2}if x <= low/u);
    assert.match(
      (await cli("program diff ledger/f1 1")).out,
      /version 1 to version 2[\s\S]*-.*x < low[\s\S]*\+.*x <= low/u,
    );
    assert.match((await cli("program undo ledger --name bob")).out, /clamp \(f1\) changed, version 3/u);
    assert.match((await cli("program undo ledger --name bob")).err, /programs\.nothing_to_undo/u);
    assert.match((await cli("program redo ledger --name bob")).out, /clamp \(f1\) changed, version 4/u);
    const { items } = await cliJson("program history ledger");
    assert.deepEqual(
      (items as readonly { readonly what: string }[]).map(({ what }) => what),
      ["redo", "undo", "mutate", "mutate"],
    );
    assert.match((await cli("program history ledger/f1 --limit 1")).out, /^version 4, position \d+, .*by bob/u);
    assert.match((await cli("program verify ledger")).out, /^ledger is valid at position \d+: 2 functions/u);
    assert.match((await cli("program list")).out, /ledger +Ledger +5 +2 +1/u);
  }),
);

test(
  "`holdfast program apply` reports findings with line and column, and refuses to overwrite unread versions [G6 G9]",
  withCliServer(async ({ cli, folder }) => {
    const apply = async (text: string, options = "") => {
      writeFileSync(join(folder, "work.txt"), text);
      return cli(`program apply ledger work.txt ${options}`);
    };
    await cli("program create ledger");
    await apply(texts);
    const unread = await apply(texts);
    assert.equal(unread.code, 2);
    assert.match(
      unread.err,
      /clamp \(f1\) exists, at version 1: start from the output of `holdfast program show ledger\/f1`/u,
    );
    assert.match((await apply(texts, "--blind")).out, /Nothing was changed/u);
    const failed = await apply(texts.replace("{ high }", "{ high + 1 }"), "--blind");
    assert.equal(failed.code, 7);
    assert.match(
      failed.err,
      /\n {2}clamp \(f1\):4:11: error condition\.ensures: .*the inputs are \{"x":\d+,.*the result is/u,
    );
    const unparsed = await apply(`${texts}\n\npub fn broken( -> i64 { 1 }\n`, "--blind");
    assert.match(unparsed.err, /\n {2}work\.txt:18:16: error syntax\.unexpected: /u);
    const unknown = await cli("program show ledger/f9");
    assert.deepEqual([unknown.code, unknown.out], [7, ""]);
    assert.match(unknown.err, /function\/f9/u);
    const json = JSON.parse(
      (await cli("program apply ledger/f1 - --blind --json", { input: "pub fn clamp(" })).out,
    ) as {
      readonly code: string;
      readonly data: { readonly errors: readonly { readonly line: number; readonly file: string }[] };
    };
    assert.deepEqual([json.code, json.data.errors[0]?.file], ["programs.text_invalid", "standard input"]);
    assert.equal((await cli("program show ledger/f1/x")).code, 2);
    assert.equal((await cli("program apply ledger missing.txt")).code, 2);
    assert.equal((await apply("let x = 1;")).code, 2);
    assert.match((await cli("program grammar")).out, /requires/u);
    await cli("take program/ledger/function/f1 --name eve --purpose thinking");
    const denied = await apply(texts.replace("common", "usual"), "--blind --name ann");
    assert.equal(denied.code, 120);
    assert.match(denied.err, /eve.*thinking/u);
    const own = await apply(texts.replace("common", "usual"), "--blind --name eve");
    assert.match(own.out, /clamp \(f1\) changed/u, own.err);
    assert.match((await cli("locks")).out, /function\/f1 +write +eve/u, "a lock of `holdfast take` stays");
  }),
);

test(
  "`holdfast program import` makes the same program of an export, skips what exists, and refuses other texts [G10]",
  withCliServer(async ({ cli, folder }) => {
    const file = join(folder, "ledger.txt");
    await cli("program create ledger");
    writeFileSync(file, texts);
    await cli("program apply ledger ledger.txt");
    writeFileSync(file, (await cli("program export ledger")).out);
    await cli("program create copy");
    const imported = await cli("program import copy ledger.txt");
    assert.match(imported.out, /clamp \(f1\) added/u, imported.err);
    assert.equal((await cli("program export copy")).out, readFileSync(file, "utf8"));
    assert.match((await cli("program import copy ledger.txt")).out, /copy has all 3 items already/u);
    writeFileSync(file, `${readFileSync(file, "utf8")}\n@id("f7")\npub fn one() -> i64 { 1 }\n`);
    assert.match((await cli("program import copy ledger.txt")).out, /one \(f7\) added/u);
    assert.equal((await cli("locks")).out, "No locks are held.\n");
    writeFileSync(file, readFileSync(file, "utf8").replace("{ 1 }", "{ 2 }"));
    const other = await cli("program import copy ledger.txt");
    assert.deepEqual([other.code, other.err.includes("the program has another f7")], [2, true]);
    writeFileSync(
      file,
      readFileSync(file, "utf8").replaceAll('"f7"', '"f8"').replace("fn one() -> i64 { 2 }", "fn two() -> {"),
    );
    assert.match((await cli("program import copy ledger.txt")).err, /ledger\.txt:\d+:\d+: error syntax\.unexpected/u);
  }),
);

test("a text file is split at its functions and types, with the comments and marks above them", () => {
  const items = textItems(
    `@id("f3") @version(12)\n/// Doc.\n// note\npub fn a() -> i64\n{\n  // in\n  1\n}\n\nenum E { A, }\n`,
    "x",
  );
  assert.deepEqual(
    items.map(({ kind, name, line, id, version }) => [kind, name, line, id, version]),
    [
      ["function", "a", 2, "f3", 12],
      ["type", "E", 10, undefined, undefined],
    ],
  );
  assert.equal(items[0]?.text, "/// Doc.\n// note\npub fn a() -> i64\n{\n  // in\n  1\n}\n");
});
