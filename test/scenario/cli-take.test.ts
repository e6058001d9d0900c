/** Locks that outlive the command which took them: `take`, `wait`, `ask`, `who` and `release`. */
import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runCli, withCliServer } from "./cli-terminal.ts";
import { withServer } from "./holdfast-command.ts";
import { inEmptyFolder, startCommand } from "./program.ts";
import type { Program } from "./program.ts";

test(
  "`holdfast take` acquires a lock that its agent keeps until `holdfast release`, and the queue sees who has it [M7 M8]",
  withCliServer(async ({ cli, cliJson, folder }) => {
    const taken = await cli(["take", "./src/a.ts", "--purpose", "renaming", "--name", "ann", "--ttl", "20m"]);
    assert.equal(taken.code, 0, taken.err);
    assert.match(taken.out, /^you have src\/a\.ts until \d\d:\d\d \((19|20) min\), fence 1\.\d+\.\n/u);
    assert.match(taken.out, /Each holdfast command as this agent keeps it, such as `holdfast whoami --name ann`/u);
    assert.match(taken.out, /Release it with `holdfast release src\/a\.ts --name ann`\.\n$/u);
    const file = join(folder, ".holdfast", "agents", "ann");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const denied = await cli("take src/a.ts --name bob");
    assert.deepEqual([denied.code, denied.out], [120, ""]);
    assert.match(
      denied.err,
      /ann \([0-9a-f]{4}\) holds src\/a\.ts: "renaming" \(for .*, lease ends in .*, process \d+ on \S+\)/u,
    );
    assert.match(denied.err, /`holdfast wait src\/a\.ts`.*`holdfast ask src\/a\.ts --reason TEXT`/u);
    assert.match(
      (await cli("ask src/a.ts --reason soon --name bob")).out,
      /^asked ann \([0-9a-f]{4}\) to release src\/a\.ts\.\n$/u,
    );
    assert.match((await cli("who src/a.ts")).out, /release requested: ".*soon"/u);
    assert.match(
      (await cli("who")).out,
      /^ann \([0-9a-f]{4}\), "renaming": holds src\/a\.ts; .*\nbob \([0-9a-f]{4}\): holds nothing/u,
    );
    const late = await cli("wait src/a.ts --name bob --timeout 1");
    assert.equal(late.code, 120);
    assert.match(late.err, /^holdfast: waiting at queue position 1: ann \([0-9a-f]{4}\) holds src\/a\.ts: "renaming"/u);
    assert.match(late.err, /queue position 1, kept until \d\d:\d\d/u);
    await cli(["put", "note/1", "{}", "--name", "ann"]);
    const [got, freed] = await Promise.all([cli("wait src/a.ts --name bob"), cli("release src/a.ts --name ann")]);
    assert.match(got.out, /^you have src\/a\.ts/u, got.err);
    assert.match(freed.out, /^released src\/a\.ts\.\n$/u, freed.err);
    assert.ok(!existsSync(file), "an agent without locks ends");
    const refused = await cli("release src/a.ts --name ann");
    assert.equal(refused.code, 7);
    assert.match(refused.err, /^holdfast: bob \([0-9a-f]{4}\) holds src\/a\.ts.*\nholdfast: release-lock refused/u);
    assert.match((await cli("whoami --name bob")).out, /\nagent bob \([0-9a-f]{4}\)\n {2}holds src\/a\.ts \(write\)/u);
    const names = /ann \([0-9a-f]{4}\)/u;
    assert.match((await cli("history note/1")).out, names, "an ended agent keeps its name");
    assert.match((await cli("audit --operation end-agent")).out, /agent ann \([0-9a-f]{4}\)/u);
    const past = (await cli("locks src/a.ts --history")).out;
    assert.match(
      past,
      /ann \([0-9a-f]{4}\) acquired src\/a\.ts for "renaming"\n/u,
      "the owner itself is not named twice",
    );
    assert.match(past, /bob \([0-9a-f]{4}\) acquired src\/a\.ts \(by ann \([0-9a-f]{4}\)\)/u);
    assert.equal(((await cliJson("agents"))["items"] as unknown[]).length, 1);
  }),
);

test(
  "an agent is known by user, folder and name: a lost note resumes it, and an ended agent is registered again",
  withCliServer(async ({ cli, cliJson, folder }) => {
    const first = await cliJson("take a --name ann");
    const file = join(folder, ".holdfast", "agents", "ann");
    const { agent_id: id } = JSON.parse(readFileSync(file, "utf8")) as { readonly agent_id: string };
    rmSync(file);
    const again = await cliJson("take a b --name ann");
    assert.equal(again["owner_id"], id);
    assert.equal(first["owner_id"], id);
    assert.equal((await cli("take a --name eve")).code, 120, "another name is another agent");
    await cliJson(["run", "end-agent", JSON.stringify({ agent_id: id }), "--operator"]);
    const ended = await cli("whoami --name ann");
    assert.match(ended.err, /the registration of ann has ended, and its locks with it/u);
    assert.notEqual((await cliJson("take a --name ann"))["owner_id"], id);
    const env = { HOLDFAST_NAME: "ann" };
    assert.match((await cli("release a", { env })).out, /^released a\./u);
  }),
);

test(
  "each command of a named agent renews its leases",
  withCliServer(async ({ cli, cliJson }) => {
    const taken = await cliJson("take a --name ann --ttl 30m");
    await cli("locks --name ann");
    const { holds } = await cliJson("whoami --name ann");
    const [held] = holds as readonly { readonly expires_at: string }[];
    assert.ok(Date.parse(held?.expires_at ?? "") > Date.parse(String(taken["expires_at"])), "the lease ends later");
  }),
);

test(
  "`holdfast release` with a name that never took a lock names the path, and the option to change",
  withCliServer(async ({ cli }) => {
    const { code, err } = await cli("release src/a.ts --name eve");
    assert.equal(code, 7);
    assert.match(err, /has no lock on src\/a\.ts\. Choose its --name, or its --owner\./u);
    const { out } = await cli("release src/a.ts --name eve --json");
    assert.equal((JSON.parse(out) as Record<string, unknown>)["code"], "owner_required");
  }),
);

test(
  "a refusal about a target or an operation that does not exist names the target, and the list of all operations",
  withCliServer(async ({ cli }) => {
    assert.match((await cli("files list no/such")).err, /No such version \(no\/such\)\./u);
    assert.match((await cli("run jobs.nope")).err, /`holdfast run --list`/u);
  }),
);

test(
  "`holdfast take` without a server takes nothing, leaves nothing behind and exits with 122",
  inEmptyFolder(async (folder) => {
    const { code, err } = await runCli("take src/a.ts --name ann", { folder });
    assert.equal(code, 122);
    assert.match(err, /no server runs on .*\.holdfast/u);
    assert.ok(!existsSync(join(folder, ".holdfast")));
    const away = await runCli("take src/a.ts", { folder, env: { HOLDFAST_URL: "http://127.0.0.1:1" } });
    assert.equal(away.code, 122);
    assert.ok(!existsSync(join(folder, ".holdfast")));
  }),
);

for (const [line, message] of [
  [
    "take src/**",
    /"src\/\*\*" has glob characters, and a lock is not a pattern; a lock on src covers everything below it/,
  ],
  ["lock src/*.ts -- true", /"src\/\*\.ts" has glob characters/],
  ["take ../x", /"\.\.\/x" is not a path of a lock: name it from the root of the project/],
  ["take a --ttl soon", /--ttl must be a duration of at least 1 s, like 90s, 5m or 2h, not "soon"/],
  ["take a --mode no", /--mode must be read or upgradeable or write/],
  ["ask a", /--reason is required/],
] as const) {
  test(`"holdfast ${line}" is a usage error that names the next step`, async () => {
    const { code, err } = await runCli(line);
    assert.equal(code, 2, err);
    assert.match(err, message);
  });
}

test(
  "glob characters are part of a path with --literal",
  withCliServer(async ({ cli }) => {
    assert.match((await cli("take app/[id].tsx --literal")).out, /^you have app\/\[id\]\.tsx/u);
  }),
);

/** A shell of an agent. Each command is a process of its own, as the tools of a coding agent start them. */
class AgentShell {
  readonly #shell: Program;

  constructor(folder: string, name: string, path: string) {
    const env = { PATH: path, HOLDFAST_NAME: name };
    this.#shell = startCommand("bash", ["-s"], { folder, env, inputStaysOpen: true });
  }

  /** The exit code of a command. */
  async run(command: string, tag: string): Promise<number> {
    this.#shell.send(`${command} >/dev/null 2>&1; echo "${tag} $?"`);
    return Number((await this.#shell.line(new RegExp(`^${tag} `, "u"))).split(" ")[1]);
  }

  async close(): Promise<void> {
    this.#shell.endInput();
    await this.#shell.ended;
  }
}

test(
  "four shells share one file, and the lock of the one that stays silent past its limit goes to the next in the queue",
  withServer(async ({ folder }) => {
    const tools = join(folder, "tools");
    const bin = join(import.meta.dirname, "..", "..", "server", "bin", "holdfast.js");
    await mkdir(tools);
    await writeFile(join(tools, "holdfast"), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`);
    await chmod(join(tools, "holdfast"), 0o755);
    const path = `${tools}:${process.env["PATH"] ?? ""}`;
    const shellOf = (name: string): AgentShell => new AgentShell(folder, name, path);
    const [ann, bob, cid, dan] = [shellOf("ann"), shellOf("bob"), shellOf("cid"), shellOf("dan")];
    assert.equal(await ann.run("holdfast take src/a.ts --ttl 1s", "taken"), 0);
    // Ann stays silent. Bob and Cid wait in this order, and Dan does not wait.
    const bobs = bob.run("holdfast wait src/a.ts", "waited");
    assert.equal(
      await dan.run("until holdfast waits | grep -q bob; do :; done; holdfast take src/a.ts", "denied"),
      120,
    );
    const cids = cid.run("holdfast wait src/a.ts", "waited");
    assert.equal(await bobs, 0, "the lease of a silent holder ends");
    assert.equal(await ann.run("holdfast release src/a.ts", "late"), 7, "a late release is refused");
    assert.equal(await bob.run("echo edited >> a.ts; holdfast release src/a.ts", "released"), 0);
    assert.equal(await cids, 0);
    assert.equal(await dan.run("holdfast who src/a.ts | grep -q '^  cid '", "seen"), 0);
    for (const shell of [ann, bob, cid, dan]) await shell.close();
  }),
);
