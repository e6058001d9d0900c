/** The output of the command line: help, usage errors, escaped text, tables and completion scripts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { allCommands } from "../../server/src/doors/cli/commands/all-commands.ts";
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import { escapeControlChars } from "../../server/src/doors/cli/terminal/escape-control-chars.ts";
import { failureReport } from "../../server/src/doors/cli/terminal/failure-report.ts";
import { missedLines } from "../../server/src/doors/cli/terminal/missed-lines.ts";
import { noPaint, paintFor } from "../../server/src/doors/cli/terminal/paint.ts";
import { duration, relativeTime } from "../../server/src/doors/cli/terminal/relative-time.ts";
import { truncateToWidth, displayWidth, table } from "../../server/src/doors/cli/terminal/table.ts";
import { runCli } from "./cli-terminal.ts";
import { spawnChildSync } from "./spawn-child.ts";

test("the general help lists all commands, and the help of each command contains an example", async () => {
  const general = (await runCli("--help")).out;
  for (const { name, options } of await allCommands.all()) {
    assert.match(general, new RegExp(`^ {2}${name} `, "mu"), name);
    const { code, out } = await runCli(`help ${name}`);
    assert.equal(code, 0, name);
    assert.ok(out.startsWith(`Usage: holdfast ${name}`), name);
    assert.match(out, new RegExp(`^ {2}.*holdfast ${name}\\b`, "mu"), `${name} has no example`);
    for (const option of Object.keys(options)) assert.ok(out.includes(`--${option}`), `${name} --${option}`);
    assert.ok(
      out.split("\n").every((line) => line.length <= 120),
      `${name} has a line that is too long`,
    );
    assert.equal(Object.hasOwn(options, "json"), !["help", "completion"].includes(name), name);
  }
});

for (const [line, message] of [
  ["lock", /lock needs PATH/],
  ["lock a --", /no command after --/],
  ["lock a --ttl 0", /--ttl must be a duration of at least 1 s, like 90s, 5m or 2h/],
  ["lock a --ttl 86401", /--ttl must be at most 86400 seconds, not 86401/],
  ["lock a --mode rw", /--mode must be read or upgradeable or write, not "rw"/],
  ["lock a --scope all", /--scope must be tree or self/],
  ["lock a --wait --no-wait", /--wait or --no-wait, not both/],
  ["lock a --wait=soon", /--wait must be a duration of at least 1 s, like 90s, 5m or 2h, not "soon"/],
  ["lock a --if-unavailable=maybe", /--if-unavailable must be fail or run/],
  ["lock a --once k", /--once needs a command/],
  ['lock a --once k"k -- true', /--once must be 1 to 200 printable/],
  ["lock inner/a -- true", /already runs under `holdfast lock inner`; a wait for inner\/a would never end/],
  ["lock a --porpose x -- true", /unknown option --porpose; did you mean --purpose\?/],
  ["locks a b", /unexpected argument "b" of locks/],
  ["locks a --under b", /use PATH or --under, not both/],
  ["locks --limit 0", /--limit must be an integer of at least 1/],
  [
    "locks --url nowhere",
    /--url is not the address of a server: "nowhere"\. Use one such as http:\/\/127\.0\.0\.1:\d+/,
  ],
  ["waits now", /unexpected argument "now" of waits/],
  ["agents --limit many", /--limit must be an integer/],
  ["whoami --owner", /--owner needs a value/],
  ["release", /PATH or --fence is required/],
  ["request-release", /request-release needs PATH/],
  ["request-release a", /--reason is required/],
  ["force-release", /force-release needs FENCE\|PATH/],
  ["force-release 1.2", /--reason is required/],
  ["get note", /an entity name must be TYPE\/ID, like note\/first, not "note"/],
  ["put note/a hello", /VALUE is not JSON .*; quote a string: '"hello"'/],
  ["put note/a @gone.json", /cannot read \S*gone\.json \(ENOENT\)/],
  ["put note/a {} --expect one", /--expect must be an integer of at least 0/],
  ["patch note/a 7", /PATCH must be an object \(a merge patch\) or an array/],
  ["delete", /delete needs TYPE\/ID/],
  ["list", /list needs TYPE/],
  ["history note", /an entity name must be TYPE\/ID/],
  ["watch --limit none", /--limit must be an integer/],
  ["run", /OPERATION is required; `holdfast run --list` lists all operations/],
  ["run acquire-lok", /unknown operation acquire-lok; did you mean acquire-lock\?/],
  ["run get-entity {", /INPUT is not JSON/],
  ["token", /token needs a subcommand: token create, token list, token rotate, token revoke/],
  ["token crate", /unknown command token crate; did you mean token create\?/],
  ["token create", /token create needs PRINCIPAL/],
  ["token revoke", /token revoke needs TOKEN/],
  ["health now", /unexpected argument "now" of health/],
  ["completion tcsh", /completion supports bash, zsh and fish, not tcsh/],
] as const) {
  test(`"holdfast ${line}" is a usage error, and one sentence explains it`, async () => {
    const { code, out, err } = await runCli(line, { env: { HOLDFAST_LOCK_PATHS: "inner" } });
    assert.equal(code, 2, err);
    assert.match(err, message);
    assert.match(err, /See `holdfast (--help|help [a-z -]+)`\.\n$/);
    assert.deepEqual([out, err.trim().split("\n").length], ["", 1]);
  });
}

test("text from other callers is printed with escapes that no terminal interprets", () => {
  assert.equal(escapeControlChars("a\u001b[2J\r\nb\u0000\u007f\u009b"), "a\\x1b[2J\\x0d\\x0ab\\x00\\x7f\\x9b");
  assert.equal(
    escapeControlChars("left\u202eright\u2066\u200b\ufeff\u2028"),
    "left\\u202eright\\u2066\\u200b\\ufeff\\u2028",
  );
  assert.equal(escapeControlChars("\ud800 half"), "\\ud800 half");
  assert.equal(escapeControlChars("Grüße, 你好, 👩‍👧 and café"), "Grüße, 你好, 👩\\u200d👧 and café");
});

test("only a terminal gets colours, and NO_COLOR and FORCE_COLOR override that", () => {
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

test("a table aligns its columns by display width, and a truncated text ends with an ellipsis", () => {
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

test("the JSON of a failure has the members of the wire, from a call by name and from a method of the client", () => {
  const cycle = { owner_id: "a", waits_for: "1.7", path: "p", blocked_by: "b", as: "holder" };
  const own = { ownerId: "a", waitsFor: "1.7", path: "p", blockedBy: "b", as: "holder" };
  const sent = new HoldfastError("acquire-lock", "deadlock", {
    data: { requested_by: "a", cycle: [cycle] },
    isWire: true,
  });
  const mapped = new HoldfastError("acquire-lock", "deadlock", { data: { requestedBy: "a", cycle: [own] } });
  assert.deepEqual(failureReport(mapped).json["data"], { requested_by: "a", cycle: [cycle] });
  assert.deepEqual(failureReport(sent).json["data"], failureReport(mapped).json["data"]);
});

test("an agent learns which grants it did not accept in time", () => {
  const missed = [{ path: "src/a.ts", granted_at: "2026-11-18T09:00:00.000Z", ended_at: "2026-11-18T09:00:10.000Z" }];
  assert.deepEqual(missedLines(missed, Date.parse("2026-11-18T09:00:15.000Z")), [
    "missed src/a.ts: it was granted while no command waited, and the grant ended 5 s ago",
  ]);
  assert.deepEqual(missedLines(undefined, 0), []);
});

test("the command line prints times relative to the current time", () => {
  const at = (ms: number): string => new Date(1_000_000_000_000 + ms).toISOString();
  assert.deepEqual(
    [0, 999, 12_400, -61_000, 3 * 3_600_000 + 5 * 60_000, -40 * 86_400_000].map((ms) =>
      relativeTime(at(ms), 1_000_000_000_000),
    ),
    ["now", "now", "in 12 s", "1 min 1 s ago", "in 3 h 5 min", "40 d ago"],
  );
  assert.deepEqual([relativeTime("never", 0), duration(10), duration(10 * 60_000 + 1)], ["?", "under 1 s", "10 min"]);
});

test("the bash script completes commands, subcommands and the options of each command", async () => {
  const { out: script } = await runCli("completion bash");
  const complete = (...args: readonly string[]): readonly string[] => {
    const line = `COMP_WORDS=(holdfast "$@"); COMP_CWORD=$#; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnChildSync("bash", ["-c", `${script}\n${line}`, "bash", ...args], { encoding: "utf8" });
    return stdout.split("\n").filter((word) => word !== "");
  };
  assert.deepEqual(complete("lo"), ["lock", "locks"]);
  assert.deepEqual(complete("token", ""), ["create", "list", "rotate", "revoke"]);
  assert.deepEqual(complete("lock", "a", "--no"), ["--no-wait", "--note"]);
  assert.deepEqual(complete("token", "create", "ci", "--al"), ["--allow"]);
  assert.deepEqual(complete("lock", "repo/x", "some"), [], "the shell completes files itself");
});

test("the scripts for zsh and fish contain all commands and options", async () => {
  const [zsh, fish] = await Promise.all([runCli("completion zsh"), runCli("completion fish")]);
  assert.match(zsh.out, /^autoload -U \+X bashcompinit && bashcompinit\n/);
  for (const { name, options } of await allCommands.all()) {
    const last = name.split(" ").at(-1) ?? "";
    assert.match(fish.out, new RegExp(`-a ${last} -d '`), name);
    for (const option of Object.keys(options)) assert.ok(fish.out.includes(` -l ${option} `), `${name} --${option}`);
  }
});
