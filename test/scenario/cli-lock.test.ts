/** `holdfast lock`: a command under a lock, in real processes that wait, are killed, and lose what they had. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { holdfast, run, withServer } from "./holdfast-command.ts";
import { inEmptyFolder } from "./program.ts";

const lock = (paths: string, ...command: readonly string[]): readonly string[] => [
  "lock",
  ...paths.split(" "),
  ...(command.length === 0 ? [] : ["--", ...command]),
];

/** A command that says that it runs, and then runs until it is stopped. */
const endless = ["sh", "-c", "echo runs $$; exec sleep 1000"];

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function pidOf(program: ReturnType<typeof holdfast>): Promise<number> {
  return Number((await program.line(/^runs \d+$/)).slice("runs ".length));
}

test(
  "a command runs under its lock, finds it in its environment, and its exit code is passed on [M14]",
  withServer(async ({ folder, url }) => {
    const script = 'echo "$HOLDFAST_URL|$HOLDFAST_LOCK_PATHS|$HOLDFAST_FENCE"; exit 7';
    const ended = await run(folder, lock("repo/x repo/y", "sh", "-c", script));
    assert.equal(ended.code, 7, ended.errors);
    assert.equal(ended.lines[0], `${url}|repo/x`);
    assert.match(ended.lines[1] ?? "", /^repo\/y\|1\.\d+$/);
    assert.match(ended.errors, /got repo\/x, repo\/y \(fence 1\.\d+\)/);
    const missing = await run(folder, lock("repo/x", "no-such-command"));
    assert.equal(missing.code, 127);
    assert.match(missing.errors, /no-such-command could not be started/);
    assert.deepEqual((await run(folder, "locks")).lines, ["Nothing is locked."]);
  }),
);

test(
  "one is denied with who has it and why; one waits and sees it; and when the holder is killed its command dies, and the next has the lock [X5 G5]",
  withServer(async ({ folder }) => {
    const holder = holdfast(folder, [
      ...lock("repo/x --ttl 8 --name ann --purpose renaming\u202ened"),
      "--",
      ...endless,
    ]);
    const pid = await pidOf(holder);
    const denied = await run(folder, lock("repo/x/src --no-wait", "echo", "never"));
    assert.equal(denied.code, 120, denied.errors);
    assert.match(denied.errors, /lock_denied: repo\/x\/src is not free: ann has repo\/x: "renaming\\u202ened"/);
    const late = await run(folder, lock("repo/x --wait=1", "echo", "never"));
    assert.equal(late.code, 120, late.errors);
    assert.deepEqual([...denied.lines, ...late.lines], []);
    const next = holdfast(folder, lock("repo/x", "echo", "my turn"));
    await next.errorLine(/waiting, number 1 in line.*: ann has repo\/x/);
    holder.signal("SIGKILL");
    const { code, lines, errors } = await next.ended;
    assert.deepEqual([code, lines], [0, ["my turn"]]);
    assert.match(errors, /note: repo\/x was lost by a holder that went silent: \S+ .*; it was for "renaming/);
    assert.ok(!isAlive(pid), "a command does not outlive its lease");
  }),
);

test(
  "whose lock an operator frees is told, its command is stopped with all that it started, and the exit code says so [W10]",
  withServer(async ({ folder }) => {
    const holder = holdfast(folder, lock("deploy --json", "sh", "-c", "echo runs $$; sleep 1000 & wait"));
    const pid = await pidOf(holder);
    const freed = await run(folder, ["force-release", "deploy", "--reason", "its host is gone", "--json"]);
    assert.equal(freed.code, 0, freed.errors);
    assert.match(freed.lines[0] ?? "", /"released":\["deploy"\]/);
    const { code, errors } = await holder.ended;
    assert.equal(code, 121, errors);
    const events = errors
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { event: string }).event);
    assert.deepEqual(events, ["granted", "lost", "ended"]);
    assert.ok(!isAlive(pid));
  }),
);

test(
  "a command is dead before the lease of a server that does not answer can end",
  withServer(async ({ folder, program }) => {
    const deaf = "trap '' TERM; echo runs $$; while :; do sleep 0.05; done";
    const holder = holdfast(folder, lock("deploy --ttl 3 --json", "sh", "-c", deaf));
    const pid = await pidOf(holder);
    program.signal("SIGSTOP");
    try {
      const { code, errors } = await holder.ended;
      assert.equal(code, 121, errors);
      assert.match(errors, /"event":"lost","code":"lock_lost","reason":"the server does not answer/);
      assert.ok(!isAlive(pid), "it did not listen to SIGTERM");
    } finally {
      program.signal("SIGCONT");
    }
  }),
);

test(
  "of three that run the same key at once one runs it, and the others say who did",
  withServer(async ({ folder }) => {
    const words = lock("nightly --once backup-1", "echo", "ran");
    const ended = await Promise.all([run(folder, words), run(folder, words), run(folder, words)]);
    assert.deepEqual(
      ended.map(({ code }) => code),
      [0, 0, 0],
      ended.map(({ errors }) => errors).join(""),
    );
    assert.deepEqual(
      ended.flatMap(({ lines }) => lines),
      ["ran"],
    );
    const told = ended.filter(({ errors }) => /backup-1 is done: \S+ ran it at .* \(entry \d+\)/.test(errors));
    assert.equal(told.length, 2);
  }),
);

test(
  "signals reach the command, and the lock is given back; without a command it is held until a signal",
  withServer(async ({ folder }) => {
    const holder = holdfast(
      folder,
      lock("a", "sh", "-c", "trap 'echo heard; exit 5' INT; echo runs $$; while :; do sleep 0.05; done"),
    );
    await pidOf(holder);
    holder.signal("SIGINT");
    const { code, lines } = await holder.ended;
    assert.deepEqual([code, lines.at(-1)], [5, "heard"]);
    const plain = holdfast(folder, lock("a"));
    await plain.errorLine(/holding it until Ctrl\+C/);
    const waiter = holdfast(folder, lock("a", "echo", "never"));
    await waiter.errorLine(/waiting, number 1/);
    waiter.signal("SIGTERM");
    assert.equal((await waiter.ended).code, 143);
    plain.signal("SIGTERM");
    assert.equal((await plain.ended).code, 0);
    assert.deepEqual((await run(folder, "locks")).lines, ["Nothing is locked."]);
  }),
);

test(
  "without a server it fails, or runs without the lock, as it was told",
  inEmptyFolder(async (folder) => {
    const env = { HOLDFAST_URL: "http://127.0.0.1:1" };
    const fails = await run(folder, lock("a", "echo", "never"), { env });
    assert.deepEqual([fails.code, fails.lines], [122, []]);
    assert.match(fails.errors, /\(unreachable\): No Holdfast server answers.*Start the server with `holdfast up`/);
    const runs = await run(folder, lock("a --if-unavailable=run", "sh", "-c", "echo ${HOLDFAST_FENCE:-no fence}"), {
      env,
    });
    assert.deepEqual([runs.code, runs.lines], [0, ["no fence"]]);
    assert.match(runs.errors, /Running WITHOUT the lock/);
  }),
);
