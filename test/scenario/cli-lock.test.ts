/** `holdfast lock` in real processes that wait, are killed, and lose their locks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { commandFile, holdfast, run, withServer } from "./holdfast-command.ts";
import { inEmptyFolder } from "./program.ts";

const lock = (paths: string, ...command: readonly string[]): readonly string[] => [
  "lock",
  ...paths.split(" "),
  ...(command.length === 0 ? [] : ["--", ...command]),
];

/** A command that prints its process id and runs until it is stopped. */
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
  "`holdfast lock` passes the lock to its command by the environment, and returns the command's exit code [M14]",
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
    assert.deepEqual((await run(folder, "locks")).lines, ["No locks are held."]);
  }),
);

test(
  "a denied caller and a waiter see the holder, and when the holder is killed its command dies and the waiter gets the lock [X5 G5]",
  withServer(async ({ folder }) => {
    const holder = holdfast(folder, [
      ...lock("repo/x --ttl 8 --name ann --purpose renaming\u202ened"),
      "--",
      ...endless,
    ]);
    const pid = await pidOf(holder);
    const denied = await run(folder, lock("repo/x/src --no-wait", "echo", "never"));
    assert.equal(denied.code, 120, denied.errors);
    assert.match(
      denied.errors,
      /lock_denied: cannot lock repo\/x\/src: ann \([0-9a-f]{4}\) holds repo\/x: "renaming\\u202ened"/,
    );
    const late = await run(folder, lock("repo/x --wait=1", "echo", "never"));
    assert.equal(late.code, 120, late.errors);
    assert.deepEqual([...denied.lines, ...late.lines], []);
    const next = holdfast(folder, lock("repo/x", "echo", "my turn"));
    await next.errorLine(/waiting at queue position 1.*: ann \([0-9a-f]{4}\) holds repo\/x/);
    holder.signal("SIGKILL");
    const { code, lines, errors } = await next.ended;
    assert.deepEqual([code, lines], [0, ["my turn"]]);
    assert.match(errors, /note: repo\/x: the lease of ann \([0-9a-f]{4}\) expired .*; its purpose was "renaming/);
    assert.ok(!isAlive(pid), "the command must not outlive its lease");
  }),
);

test(
  "a deadlock of two `holdfast lock` commands that each run another one is refused at once and names both levels [X6]",
  withServer(async ({ folder }) => {
    /** Holds a lock and runs a shell, which waits for a line of input and then locks another path. */
    const nested = (outer: string, inner: string) => {
      const then = ["lock", inner, "--name", `inner of ${outer}`, "--", "echo", "both"];
      const shell = ["sh", "-c", 'echo held; read -r go; exec "$0" "$@"', process.execPath, commandFile, ...then];
      return holdfast(folder, ["lock", outer, "--name", `outer of ${outer}`, "--", ...shell], { inputStaysOpen: true });
    };
    const [first, second] = [nested("repo/a", "repo/b"), nested("repo/b", "repo/a")];
    await Promise.all([first.line(/^held$/u), second.line(/^held$/u)]);
    first.send("go");
    await first.errorLine(/waiting at queue position 1.*: outer of repo\/b \([0-9a-f]{4}\) holds repo\/b/u);
    second.send("go");
    const refused = await second.ended;
    assert.notEqual(refused.code, 0);
    assert.match(refused.errors, /deadlock/u);
    assert.match(refused.errors, /outer of repo\/a \([0-9a-f]{4}\) waits for its child inner of repo\/a \(/u);
    assert.doesNotMatch(refused.errors, /[0-9a-f]{8}-[0-9a-f]{4}-/u);
    assert.equal(refused.errors.match(/waits for its child/gu)?.length, 2, refused.errors);
    const { code, lines } = await first.ended;
    assert.deepEqual([code, lines], [0, ["held", "both"]], "the refused command released its lock");
  }),
);

test(
  "`holdfast lock` stops its command and its children and exits with 121 if an operator releases the lock [W10]",
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
  "`holdfast lock` kills its command before the lease ends if the server does not answer",
  withServer(async ({ folder, program }) => {
    const ignoresTerm = "trap '' TERM; echo runs $$; while :; do sleep 0.05; done";
    const holder = holdfast(folder, lock("deploy --ttl 3 --json", "sh", "-c", ignoresTerm));
    const pid = await pidOf(holder);
    program.signal("SIGSTOP");
    try {
      const { code, errors } = await holder.ended;
      assert.equal(code, 121, errors);
      assert.match(errors, /"event":"lost","code":"lock_lost","reason":"the server does not answer/);
      assert.ok(!isAlive(pid), "a command that ignores SIGTERM gets SIGKILL");
    } finally {
      program.signal("SIGCONT");
    }
  }),
);

test(
  "only one of three concurrent processes with the same --once key runs the command, and the others print its owner",
  withServer(async ({ folder }) => {
    const args = lock("nightly --once backup-1", "echo", "ran");
    const ended = await Promise.all([run(folder, args), run(folder, args), run(folder, args)]);
    assert.deepEqual(
      ended.map(({ code }) => code),
      [0, 0, 0],
      ended.map(({ errors }) => errors).join(""),
    );
    assert.deepEqual(
      ended.flatMap(({ lines }) => lines),
      ["ran"],
    );
    const repeated = ended.filter(({ errors }) =>
      /backup-1 has already run: \S+@\S+ \([0-9a-f]{4}\) ran it at .* \(entry \d+\)/.test(errors),
    );
    assert.equal(repeated.length, 2);
  }),
);

test(
  "`holdfast lock` forwards signals to its command, and without a command it holds the lock until a signal",
  withServer(async ({ folder }) => {
    const holder = holdfast(
      folder,
      lock("a", "sh", "-c", "trap 'echo got INT; exit 5' INT; echo runs $$; while :; do sleep 0.05; done"),
    );
    await pidOf(holder);
    holder.signal("SIGINT");
    const { code, lines } = await holder.ended;
    assert.deepEqual([code, lines.at(-1)], [5, "got INT"]);
    const plain = holdfast(folder, lock("a"));
    await plain.errorLine(/holding the lock until Ctrl\+C/);
    const waiter = holdfast(folder, lock("a", "echo", "never"));
    await waiter.errorLine(/waiting at queue position 1/);
    waiter.signal("SIGTERM");
    assert.equal((await waiter.ended).code, 143);
    plain.signal("SIGTERM");
    assert.equal((await plain.ended).code, 0);
    assert.deepEqual((await run(folder, "locks")).lines, ["No locks are held."]);
  }),
);

test(
  "`holdfast lock` fails without a server, or runs without the lock with --if-unavailable=run",
  inEmptyFolder(async (folder) => {
    const env = { HOLDFAST_URL: "http://127.0.0.1:1" };
    const fails = await run(folder, lock("a", "echo", "never"), { env });
    assert.deepEqual([fails.code, fails.lines], [122, []]);
    assert.match(fails.errors, /unreachable: No Holdfast server answers.*Start the server with `holdfast up`/);
    const runs = await run(folder, lock("a --if-unavailable=run", "sh", "-c", "echo ${HOLDFAST_FENCE:-no fence}"), {
      env,
    });
    assert.deepEqual([runs.code, runs.lines], [0, ["no fence"]]);
    assert.match(runs.errors, /Running WITHOUT the lock/);
  }),
);
