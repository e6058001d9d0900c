/** The commands that call a server: their text output, their JSON output and their refusals. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { packs, publicOperations } from "@holdfast/sdk/contract";
import { allCommands } from "../../server/src/doors/cli/commands/all-commands.ts";
import { runCli, withCliServer } from "./cli-terminal.ts";

/** Commands that call no operation of the contract, and the reason. */
const others: Readonly<Record<string, string>> = {
  up: "starts a server",
  down: "stops a server",
  status: "asks the server of a data folder for its health",
  watch: "follows events, which are not an operation",
  health: "calls the health route, which needs no caller",
  verify: "verifies a data folder",
  "audit verify": "reads audit files, and the data folder",
  "files verify": "reads a data folder and its storage roots",
  "journal list": "reads a data folder",
  "journal follow": "reads a data folder",
  "journal export": "reads a data folder",
  "journal import": "writes a data folder",
  backup: "copies a data folder",
  restore: "creates a data folder",
  checkpoint: "works on a data folder",
  archive: "works on a data folder",
  erase: "works on a data folder",
  completion: "prints a script for a shell",
  help: "describes the other commands",
};

const known = [
  ...publicOperations.map(({ name }) => name),
  ...packs.flatMap(({ operations }) => operations.map(({ name }) => name)),
];

test("each command calls operations of the contract, or is listed here with the reason [X8]", async () => {
  for (const { name, operations } of await allCommands.all()) {
    assert.equal(operations === undefined, Object.hasOwn(others, name), name);
    for (const operation of operations ?? []) assert.ok(known.includes(operation), `${name}: ${operation}`);
  }
  assert.deepEqual(
    Object.keys(others).filter((name) => !allCommands.names.includes(name)),
    [],
  );
});

test(
  "`holdfast run` runs each operation of the contract by its name [X8]",
  withCliServer(async ({ cli }) => {
    for (const name of known) {
      const { code, out } = await cli(["run", name, "{}", "--operator", "--json"]);
      assert.ok(code === 0 || code === 7 || code === 120, `${name} exited with ${code}: ${out}`);
      const { code: problem } = JSON.parse(out) as { code?: string };
      assert.notEqual(problem, "operation_unknown", name);
    }
    const listed = JSON.parse((await cli("run --list --json")).out) as { name: string }[];
    assert.deepEqual(
      listed.map(({ name }) => name),
      known,
    );
  }),
);

test(
  "the commands put, patch, list, get and delete an entity, and --expect protects a changed version [M1 M2]",
  withCliServer(async ({ cli, cliJson, folder }) => {
    assert.match((await cli(["put", "note/a", '{"text":"one"}'])).out, /^note\/a created: version 1 \(1\.\d+\)\.\n$/);
    const unseen = await cli("put note/a", { input: '{"text":"two"}' });
    assert.deepEqual([unseen.code, unseen.out], [7, ""]);
    assert.match(
      unseen.err,
      /note\/a exists, at version 1\. Replace this version with --expect 1, or any version with --blind\./,
    );
    assert.match(unseen.err, /Your value would change it:\n {2}\/text: "one" becomes "two"\n$/);
    const refused = JSON.parse((await cli("put note/a --json", { input: "7" })).out) as Record<string, unknown>;
    assert.deepEqual([refused["code"], refused["exit"]], ["entity_exists", 7]);
    assert.equal((await cli("put note/a 7 --blind --expect 1")).code, 2);
    assert.equal((await cliJson("put note/a --blind", { input: '{"text":"two"}' }))["version"], 2);
    writeFileSync(join(folder, "three.json"), '{"text":"three"}');
    const late = await cli("put note/a @three.json --expect 1");
    assert.equal(late.code, 7);
    assert.match(late.err, /\(concurrency_mismatch\).*expected version 1, current version 2/);
    assert.match(late.err, /\n {2}\/text: "one" became "two", yours "three"/);
    const asData = JSON.parse((await cli("put note/a @three.json --expect 1 --json")).out) as Record<string, unknown>;
    assert.deepEqual([asData["event"], asData["code"], asData["exit"]], ["failed", "concurrency_mismatch", 7]);
    assert.equal((asData["data"] as Record<string, unknown>)["current_version"], 2);
    assert.match((await cli(["patch", "note/a", '{"by":"ann"}', "--expect", "2"])).out, /changed: version 3/);
    const steps = '[{"op":"remove","path":"/by"}]';
    assert.match((await cli(["patch", "note/a", steps, "--if-unchanged", "/text", "--expect", "2"])).out, /version 4/);
    assert.deepEqual((await cliJson("get note/a"))["value"], { text: "two" });
    assert.deepEqual((await cliJson("get note/a --version 1"))["value"], { text: "one" });
    assert.match((await cli("list note")).out, /^ID +VERSION +CHANGED +VALUE\na +4 +.*\{"text":"two"\}\n$/);
    assert.match((await cli("history note/a")).out, /evt\.note\.conflict {2}version 2\n/);
    assert.match((await cli("delete note/a --expect 4")).out, /note\/a deleted: version 5/);
    assert.match((await cli("get note/a")).err, /\(entity_deleted\)/);
    assert.equal((await cliJson(["put", "note/a", "{}"]))["version"], 6);
    assert.equal((await cli(["put", "note/b", "{}", "--expect", "0"])).code, 0);
    assert.equal((await cli(["put", "note/b", "{}", "--expect", "0"])).code, 7);
  }),
);

test(
  "a repeated --key returns the first reply and changes nothing [M4]",
  withCliServer(async ({ cliJson }) => {
    const first = await cliJson(["put", "note/a", '{"n":1}', "--key", "k1"]);
    await cliJson(["put", "note/a", '{"n":2}', "--expect", "1"]);
    assert.deepEqual(await cliJson(["put", "note/a", '{"n":1}', "--key", "k1"]), first);
    assert.deepEqual((await cliJson("get note/a"))["value"], { n: 2 });
  }),
);

test(
  "`holdfast locks` and `holdfast waits` show holders, purposes and waiters, with control characters escaped [M7 M8]",
  withCliServer(async ({ cli, cliJson }) => {
    const request = { paths: ["repo/x"], ttl_seconds: 60, purpose: "red\u202enaming" };
    const granted = await cliJson(["run", "acquire-lock", JSON.stringify({ ...request, owner_id: "ann" })]);
    await cliJson(["run", "acquire-lock", JSON.stringify({ ...request, owner_id: "bob", wait: true })]);
    const locks = await cli("locks");
    assert.match(locks.out, /^PATH +MODE +HOLDER +PURPOSE +SINCE +LEASE ENDS +QUEUE +LAST SEEN\n/);
    assert.match(locks.out, /\nrepo\/x +write +ann +red\\u202enaming +.* +in (59 s|1 min) +1\n$/);
    const one = (await cli("locks repo/x/src")).out;
    assert.match(one, /^repo\/x\/src is locked\.\n\nHeld above it:\n {2}ann holds repo\/x: "red\\u202enaming"/);
    assert.match((await cli("locks repo/x")).out, /Waiting:\n {2}1\. bob waits for repo\/x \(write\)/);
    assert.match((await cli("locks --under other")).out, /^No locks are held\.\n$/);
    assert.match((await cli("waits")).out, /bob +repo\/x \(write\) +.* ann, holder of repo\/x\n$/);
    assert.match((await cli("whoami --owner bob")).out, /waits for repo\/x \(write\) with ticket/);
    assert.match((await cli("request-release repo/x --reason soon --owner bob")).out, /^notified ann\.\n$/);
    assert.match((await cli("locks repo/x")).out, /release requested: "anonymous for bob: soon"/);
    assert.equal((await cli("release repo/x --owner eve")).code, 7);
    assert.match((await cli(`release --owner ann --fence ${String(granted["fence"])}`)).out, /^released repo\/x\.\n$/);
    assert.match((await cli("history repo/x --lock")).out, /evt\.lock\.released\n/);
    const past = (await cli("locks repo/x --history")).out;
    assert.match(past, /: ann released repo\/x for "red\\u202enaming" \(by anonymous\)\n/);
    assert.match(past, /: ann acquired repo\/x for "red\\u202enaming"/);
    assert.match((await cli("top")).out, /^repo\/x: no waiter\n {2}bob holds repo\/x/);
  }),
);

test(
  "only an operator can force the release of a lock, and only with a reason [W10]",
  withCliServer(async ({ cli, cliJson, folder }) => {
    const request = JSON.stringify({ paths: ["deploy"], ttl_seconds: 60, owner_id: "ann" });
    const { fence } = await cliJson(["run", "acquire-lock", request]);
    const input = JSON.stringify({ fence, reason: "mine now" });
    const stranger = await cli(["run", "force-release", input]);
    assert.match(stranger.err, /\(not_allowed\)/);
    assert.match((await cli("force-release deploy")).err, /--reason is required/);
    assert.match((await cli("force-release gone --reason x")).err, /gone itself is not locked/);
    const wrong = await cli(`force-release deploy --data .holdfast --token-file - --reason x`, { input: "wrong\n" });
    assert.match(wrong.err, /\(token_invalid\)/);
    assert.match(
      (await cli(["force-release", "deploy", "--reason", "host gone"])).out,
      /^released deploy \(fence 1\.\d+\)/,
    );
    assert.match(
      (await cli("audit --operation force-release --outcome done")).out,
      /operator +force-release +lock\/deploy +done +host gone\n$/,
    );
    await cliJson(["run", "acquire-lock", request]);
    const token = readFileSync(join(folder, ".holdfast", "operator-token"), "utf8").trim();
    const env = { HOLDFAST_TOKEN: token, HOLDFAST_DATA: ".holdfast" };
    assert.equal((await cli("force-release deploy --override --reason x", { env })).code, 0);
  }),
);

test(
  "a created token gives its bearer exactly its permissions until it is revoked",
  withCliServer(
    async ({ cli, cliJson, url }) => {
      const refused = await cli("locks");
      assert.equal(refused.code, 7);
      const made = await cliJson([
        "token",
        "create",
        "ci",
        "--allow",
        "read;lock,register:repo",
        "--note",
        "for tests",
      ]);
      const env = { HOLDFAST_TOKEN: String(made["secret"]), HOLDFAST_URL: url };
      assert.equal((await cli("locks", { env })).code, 0);
      assert.equal((await cli(["put", "note/a", "{}"], { env })).code, 7);
      assert.match((await cli("token list")).out, /ci +read;lock,register:repo +in (29|30) d.* +for tests\n/);
      assert.match(
        (await cli(`token revoke ${String(made["token_id"])} --reason leaked`)).out,
        /^revoked token \S+ of ci\./,
      );
      assert.equal((await cli("locks", { env })).code, 7);
      assert.match((await cli("token create ci --allow fly")).err, /must contain only the verbs read, write/);
      assert.match((await cli("token create ci")).err, /--allow is required, or --for/);
      const agent = await cliJson("token create worker repo/x --for agent");
      const worker = { HOLDFAST_TOKEN: String(agent["secret"]), HOLDFAST_URL: url };
      assert.equal((await cli("take repo/x/a --name w", { env: worker })).code, 0);
      assert.equal((await cli("locks", { env: worker })).code, 0);
      const elsewhere = await cli("take repo/y --name w", { env: worker });
      assert.match(elsewhere.err, /\(not_allowed\).*needs: the right to lock at repo\/y/);
      assert.equal((await cli("token create x repo --for reader")).code, 2);
    },
    { requireToken: true },
  ),
);

test(
  "`holdfast watch` shows the events after a cursor, and the cursor of the last event continues with the next one",
  withCliServer(async ({ cli, cliJson }) => {
    for (const id of ["a", "b", "c"]) await cliJson(["put", `note/${id}`, "{}"]);
    const first = (await cli("watch --after 1.0 --limit 2 --json")).out.trim().split("\n");
    const events = first.map((line) => JSON.parse(line) as { subject: string; cursor: string });
    assert.deepEqual(
      events.map(({ subject }) => subject),
      ["note/a", "note/b"],
    );
    const rest = await cli(`watch --after ${events[1]?.cursor ?? ""} --limit 1 --event evt.note.created`);
    assert.match(rest.out, /anonymous created note\/c \(version 1\)\n$/);
    assert.match((await cli("watch --after yesterday --limit 1")).err, /\(cursor_invalid\)/);
  }),
);

test(
  "`holdfast get` calls the running server, reads the folder with --data, and --verbose prints the source",
  withCliServer(async ({ cli, cliJson, folder, url }) => {
    await cliJson(["put", "note/b", "{}"]);
    await cliJson(["put", "note/a", '{"n":1}']);
    const early = await cli("get note/a --at 1");
    assert.match(early.err, /it did not exist at position 1; it was created at position 2/);
    const served = await cli("get note/a --json --verbose");
    assert.ok(served.err.includes(`using the server ${url}`), served.err);
    const read = await cli(`get note/a --json --verbose --data ${join(folder, ".holdfast")}`);
    assert.match(read.err, /reading .*\.holdfast/);
    assert.equal(read.out, served.out);
    const below = await cli("get note/a --json --verbose", { folder: join(folder, "deep", "below") });
    assert.ok(below.err.includes(`using the server ${url}`), "it finds the nearest .holdfast in the parent folders");
    const named = await cli("get note/a", { env: { HOLDFAST_URL: "http://127.0.0.1:1" } });
    assert.equal(named.code, 122);
    assert.match(named.err, /unreachable: No Holdfast server answers.*Start the server with `holdfast up`/);
    assert.match((await cli("get note/a --data x --url http://y")).err, /--data or --url, not both/);
  }),
);

test(
  "`holdfast health` shows whether a server is ready, and its exit code is 122 without a server",
  withCliServer(async ({ cli, url }) => {
    assert.match((await cli("health")).out, /is ready, at position \d+ \(epoch 1\)/);
    assert.equal((JSON.parse((await cli("health --json")).out) as { url: string }).url, url);
    assert.equal((await runCli("health --url http://127.0.0.1:1")).code, 122);
  }),
);

test(
  "the commands act as the agent of HOLDFAST_AGENT_ID and HOLDFAST_AGENT_SECRET",
  withCliServer(async ({ cli, cliJson, url }) => {
    const { agent_id: id, secret } = await cliJson(["run", "register-agent", '{"name":"ann"}']);
    const env = { HOLDFAST_AGENT_ID: String(id), HOLDFAST_AGENT_SECRET: String(secret), HOLDFAST_URL: url };
    await cliJson(["run", "acquire-lock", '{"paths":["a"],"ttl_seconds":60}'], { env });
    assert.match(
      (await cli("whoami", { env })).out,
      /\nagent ann \([0-9a-f]{4}\)\n {2}holds a \(write\); fence 1\.\d+/,
    );
    assert.match((await cli("agents")).out, new RegExp(`^ann \\(${String(id).slice(0, 4)}\\) .* ${String(id)}$`, "mu"));
    assert.equal((await cli("release a", { env })).code, 0);
    const { out } = await cli("whoami");
    assert.match(
      out,
      /^principal anonymous\n {2}may read, write, lock, register, work everywhere\nnot a registered agent\n/,
    );
  }),
);
