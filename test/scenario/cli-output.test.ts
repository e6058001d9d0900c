/** How the command line speaks: help that teaches, sentences about what it does not understand, harmless text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { allCommands } from "../../server/src/doors/cli/commands/all-commands.ts";
import { escapeControlChars } from "../../server/src/doors/cli/terminal/escape-control-chars.ts";
import { noPaint, paintFor } from "../../server/src/doors/cli/terminal/paint.ts";
import { duration, relativeTime } from "../../server/src/doors/cli/terminal/relative-time.ts";
import { truncateToWidth, displayWidth, table } from "../../server/src/doors/cli/terminal/table.ts";
import { say } from "./cli-terminal.ts";
import { spawnChildSync } from "./spawn-child.ts";

test("the general help lists every command, and each one explains itself with an example of its own", async () => {
  const general = (await say("--help")).out;
  for (const { name, options } of await allCommands.all()) {
    assert.match(general, new RegExp(`^ {2}${name} `, "mu"), name);
    const { code, out } = await say(`help ${name}`);
    assert.equal(code, 0, name);
    assert.ok(out.startsWith(`Usage: holdfast ${name}`), name);
    assert.match(out, new RegExp(`^ {2}.*holdfast ${name}\\b`, "mu"), `${name} has no example`);
    for (const option of Object.keys(options)) assert.ok(out.includes(`--${option}`), `${name} --${option}`);
    assert.ok(
      out.split("\n").every((line) => line.length <= 120),
      `${name} has a line that does not fit`,
    );
    const speaksToPrograms = Object.hasOwn(options, "json");
    assert.equal(speaksToPrograms, !["help", "completion"].includes(name), name);
  }
});

for (const [words, says] of [
  ["lock", /lock needs PATH/],
  ["lock a --", /there is no command after --/],
  ["lock a --ttl 0", /--ttl takes a whole number from 1 up/],
  ["lock a --ttl 86401", /--ttl is 86400 seconds at most/],
  ["lock a --mode rw", /--mode takes read or upgradeable or write, not "rw"/],
  ["lock a --scope all", /--scope takes tree or self/],
  ["lock a --wait --no-wait", /--wait or --no-wait, not both/],
  ["lock a --wait=soon", /--wait takes a whole number from 1 up, not "soon"/],
  ["lock a --if-unavailable=maybe", /--if-unavailable takes fail or run/],
  ["lock a --once k", /--once needs a command/],
  ['lock a --once k"k -- true', /--once takes up to 200 printable/],
  ["lock inner/a -- true", /this runs under `holdfast lock inner` already, so waiting for inner\/a would never end/],
  ["lock a --porpose x -- true", /no option --porpose; did you mean --purpose\?/],
  ["locks a b", /locks takes no word "b"/],
  ["locks a --under b", /give a PATH or --under, not both/],
  ["locks --limit 0", /--limit takes a whole number from 1 up/],
  ["locks --url nowhere", /--url is not an address of a server: "nowhere"\. Give one like http:\/\/127\.0\.0\.1:\d+/],
  ["locks --data x", /no server runs on x: start one with `holdfast up --data x`/],
  ["waits now", /waits takes no word "now"/],
  ["agents --limit many", /--limit takes a whole number/],
  ["whoami --owner", /--owner needs a value/],
  ["release", /give the PATH to release, or --fence/],
  ["request-release", /request-release needs PATH/],
  ["request-release a", /a request needs its reason/],
  ["force-release", /force-release needs FENCE\|PATH/],
  ["force-release 1.2", /needs its reason/],
  ["get note", /an entity is named TYPE\/ID, like note\/first, not "note"/],
  ["put note/a hello", /VALUE is not JSON .*; a text needs its quotes: '"hello"'/],
  ["put note/a @gone.json", /gone\.json can't be read \(ENOENT\)/],
  ["put note/a {} --expect one", /--expect takes a whole number from 0 up/],
  ["patch note/a 7", /PATCH is an object \(a merge patch\) or an array/],
  ["delete", /delete needs TYPE\/ID/],
  ["list", /list needs TYPE/],
  ["history note", /an entity is named TYPE\/ID/],
  ["watch --limit none", /--limit takes a whole number/],
  ["run", /which OPERATION\? `holdfast run --list` names them all/],
  ["run acquire-lok", /no operation acquire-lok; did you mean acquire-lock\?/],
  ["run get-entity {", /INPUT is not JSON/],
  ["token", /token is followed by a word: token create, token list, token revoke/],
  ["token crate", /no command token crate; did you mean token create\?/],
  ["token create", /token create needs PRINCIPAL/],
  ["token revoke", /token revoke needs TOKEN/],
  ["health now", /health takes no word/],
  ["completion tcsh", /a script for bash, zsh and fish, not for tcsh/],
] as const) {
  test(`"holdfast ${words}" is not understood, and a sentence says why`, async () => {
    const { code, out, err } = await say(words, { env: { HOLDFAST_LOCK_PATHS: "inner" } });
    assert.equal(code, 2, err);
    assert.match(err, says);
    assert.match(err, /See `holdfast (--help|help [a-z -]+)`\.\n$/);
    assert.deepEqual([out, err.trim().split("\n").length], ["", 1]);
  });
}

test("text of others is shown, and obeyed by no terminal", () => {
  assert.equal(escapeControlChars("a\u001b[2J\r\nb\u0000\u007f\u009b"), "a\\x1b[2J\\x0d\\x0ab\\x00\\x7f\\x9b");
  assert.equal(
    escapeControlChars("left\u202eright\u2066\u200b\ufeff\u2028"),
    "left\\u202eright\\u2066\\u200b\\ufeff\\u2028",
  );
  assert.equal(escapeControlChars("\ud800 half"), "\\ud800 half");
  assert.equal(escapeControlChars("Grüße, 你好, 👩‍👧 and café"), "Grüße, 你好, 👩\\u200d👧 and café");
});

test("colours come only to a terminal, and NO_COLOR and FORCE_COLOR decide before that", () => {
  const isPainted = (env: Record<string, string>, isTerminal: boolean): boolean =>
    paintFor(env, isTerminal) !== noPaint;
  assert.deepEqual(
    [
      isPainted({}, true),
      isPainted({}, false),
      isPainted({ NO_COLOR: "1" }, true),
      isPainted({ NO_COLOR: "" }, true),
      isPainted({ FORCE_COLOR: "1" }, false),
      isPainted({ FORCE_COLOR: "0" }, true),
      isPainted({ NO_COLOR: "1", FORCE_COLOR: "1" }, true),
      isPainted({ TERM: "dumb" }, true),
    ],
    [true, false, false, true, true, false, false, false],
  );
});

test("columns line up by what a terminal shows, and a cut text says that there was more", () => {
  const { strong } = paintFor({ FORCE_COLOR: "1" }, false);
  assert.equal(
    table(
      ["A", "B"],
      [
        ["你好", "1"],
        [strong("ab"), "2"],
        ["", "3"],
      ],
      noPaint,
    ),
    `A     B\n你好  1\n${strong("ab")}    2\n      3`,
  );
  assert.deepEqual(["", "abc", "你", "é"].map(displayWidth), [0, 3, 2, 1]);
  assert.deepEqual(
    [truncateToWidth("abcdef", 6), truncateToWidth("abcdefg", 6), truncateToWidth("你好吗", 4)],
    ["abcdef", "abcde…", "你…"],
  );
});

test("times are said as people say them", () => {
  const at = (ms: number): string => new Date(1_000_000_000_000 + ms).toISOString();
  assert.deepEqual(
    [0, 999, 12_400, -61_000, 3 * 3_600_000 + 5 * 60_000, -40 * 86_400_000].map((ms) =>
      relativeTime(at(ms), 1_000_000_000_000),
    ),
    ["now", "now", "in 12 s", "1 min 1 s ago", "in 3 h 5 min", "40 d ago"],
  );
  assert.deepEqual([relativeTime("never", 0), duration(10), duration(10 * 60_000 + 1)], ["?", "under 1 s", "10 min"]);
});

test("bash completes commands, words of groups, and the options of each", async () => {
  const { out: script } = await say("completion bash");
  const complete = (...words: readonly string[]): readonly string[] => {
    const line = `COMP_WORDS=(holdfast "$@"); COMP_CWORD=$#; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnChildSync("bash", ["-c", `${script}\n${line}`, "bash", ...words], { encoding: "utf8" });
    return stdout.split("\n").filter((word) => word !== "");
  };
  assert.deepEqual(complete("lo"), ["lock", "locks"]);
  assert.deepEqual(complete("token", ""), ["create", "list", "revoke"]);
  assert.deepEqual(complete("lock", "a", "--no"), ["--no-wait", "--note"]);
  assert.deepEqual(complete("token", "create", "ci", "--al"), ["--allow"]);
  assert.deepEqual(complete("lock", "repo/x", "some"), [], "the shell completes files itself");
});

test("the scripts for zsh and fish name every command and option", async () => {
  const [zsh, fish] = await Promise.all([say("completion zsh"), say("completion fish")]);
  assert.match(zsh.out, /^autoload -U \+X bashcompinit && bashcompinit\n/);
  for (const { name, options } of await allCommands.all()) {
    const last = name.split(" ").at(-1) ?? "";
    assert.match(fish.out, new RegExp(`-a ${last} -d '`), name);
    for (const option of Object.keys(options)) assert.ok(fish.out.includes(` -l ${option} `), `${name} --${option}`);
  }
});
