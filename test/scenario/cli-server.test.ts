/** The commands that ask a server: what they say to people, what they say to programs, and what they refuse. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { packs, publicOperations } from "@holdfast/sdk/contract";
import { allCommands } from "../../server/src/doors/cli/commands/all-commands.ts";
import { beside, say } from "./cli-terminal.ts";

/** Commands that ask a server for nothing that is an operation, and why. */
const others: Readonly<Record<string, string>> = {
  up: "starts a server",
  watch: "follows events, which are no operation",
  health: "asks what is answered even to nobody",
  verify: "proves a data folder",
  "journal list": "reads a data folder",
  "journal follow": "reads a data folder",
  "journal export": "reads a data folder",
  "journal import": "writes a data folder",
  backup: "copies a data folder",
  restore: "makes a data folder",
  checkpoint: "works on a data folder",
  archive: "works on a data folder",
  erase: "works on a data folder",
  completion: "speaks to a shell",
  help: "speaks of the others",
};

const known = [
  ...publicOperations.map(({ name }) => name),
  ...packs.flatMap(({ operations }) => Object.keys(operations)),
];

test("every command is one or more operations of the contract, or is listed with what it is instead [X8]", async () => {
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
  "every operation of the contract can be run by its name, and answers or is refused for a reason [X8]",
  beside(async ({ ask }) => {
    for (const name of known) {
      const { code, out } = await ask(["run", name, "{}", "--operator", "--json"]);
      assert.ok(code === 0 || code === 7 || code === 120, `${name} ended with ${code}: ${out}`);
      const { code: problem } = JSON.parse(out) as { code?: string };
      assert.notEqual(problem, "operation_unknown", name);
    }
    const listed = JSON.parse((await ask("run --list --json")).out) as { name: string }[];
    assert.deepEqual(
      listed.map(({ name }) => name),
      known,
    );
  }),
);

test(
  "an entity is put, patched, listed, shown and deleted; a version that somebody changed is not overwritten [M1 M2]",
  beside(async ({ ask, answer, folder }) => {
    assert.match((await ask(["put", "note/a", '{"text":"one"}'])).out, /^note\/a created: version 1 \(1\.\d+\)\.\n$/);
    assert.equal((await answer("put note/a", { input: '{"text":"two"}' }))["version"], 2);
    writeFileSync(join(folder, "three.json"), '{"text":"three"}');
    const late = await ask("put note/a @three.json --expect 1");
    assert.equal(late.code, 7);
    assert.match(late.err, /\(concurrency_mismatch\).*you expected version 1, it has 2/);
    assert.match(late.err, /\n {2}\/text: "one" became "two", yours "three"/);
    const asData = JSON.parse((await ask("put note/a @three.json --expect 1 --json")).out) as Record<string, unknown>;
    assert.deepEqual([asData["event"], asData["code"], asData["exit"]], ["failed", "concurrency_mismatch", 7]);
    assert.equal((asData["data"] as Record<string, unknown>)["current_version"], 2);
    assert.match((await ask(["patch", "note/a", '{"by":"ann"}', "--expect", "2"])).out, /changed: version 3/);
    const steps = '[{"op":"remove","path":"/by"}]';
    assert.match((await ask(["patch", "note/a", steps, "--if-unchanged", "/text", "--expect", "2"])).out, /version 4/);
    assert.deepEqual((await answer("get note/a"))["value"], { text: "two" });
    assert.deepEqual((await answer("get note/a --version 1"))["value"], { text: "one" });
    assert.match((await ask("list note")).out, /^ID +VERSION +CHANGED +VALUE\na +4 +.*\{"text":"two"\}\n$/);
    assert.match((await ask("history note/a")).out, /evt\.note\.conflict {2}version 2\n/);
    assert.match((await ask("delete note/a --expect 4")).out, /note\/a deleted: version 5/);
    assert.match((await ask("get note/a")).err, /\(entity_deleted\)/);
    assert.equal((await answer(["put", "note/a", "{}"]))["version"], 6);
    assert.equal((await ask(["put", "note/b", "{}", "--expect", "0"])).code, 0);
    assert.equal((await ask(["put", "note/b", "{}", "--expect", "0"])).code, 7);
  }),
);

test(
  "the same key again returns the first answer and changes nothing [M4]",
  beside(async ({ answer }) => {
    const first = await answer(["put", "note/a", '{"n":1}', "--key", "k1"]);
    await answer(["put", "note/a", '{"n":2}']);
    assert.deepEqual(await answer(["put", "note/a", '{"n":1}', "--key", "k1"]), first);
    assert.deepEqual((await answer("get note/a"))["value"], { n: 2 });
  }),
);

test(
  "who holds what, why, since when and until when, and who waits, is shown; what others wrote obeys nobody's cursor [M7 M8]",
  beside(async ({ ask, answer }) => {
    const wish = { paths: ["repo/x"], ttl_seconds: 60, purpose: "red\u202enaming" };
    const granted = await answer(["run", "acquire-lock", JSON.stringify({ ...wish, owner_id: "ann" })]);
    await answer(["run", "acquire-lock", JSON.stringify({ ...wish, owner_id: "bob", wait: true })]);
    const locks = await ask("locks");
    assert.match(locks.out, /^PATH +MODE +HOLDER +PURPOSE +SINCE +LEASE ENDS +QUEUE\n/);
    assert.match(locks.out, /\nrepo\/x +write +ann +red\\u202enaming +.* +in (59 s|1 min) +1\n$/);
    const one = (await ask("locks repo/x/src")).out;
    assert.match(one, /^repo\/x\/src is locked\.\n\nHeld above it:\n {2}ann has repo\/x: "red\\u202enaming"/);
    assert.match((await ask("locks repo/x")).out, /Waiting:\n {2}1\. bob wants repo\/x to write/);
    assert.match((await ask("locks --under other")).out, /^Nothing is locked\.\n$/);
    assert.match((await ask("waits")).out, /bob +repo\/x \(write\) +.* ann \(holder of repo\/x\)\n$/);
    assert.match((await ask("whoami --owner bob")).out, /waits for repo\/x \(write\) with ticket/);
    assert.match((await ask("request-release repo/x --reason soon --owner bob")).out, /^asked ann\.\n$/);
    assert.match((await ask("locks repo/x")).out, /asked to release: "bob: soon"/);
    assert.equal((await ask("release repo/x --owner eve")).code, 7);
    assert.match((await ask(`release --owner ann --fence ${String(granted["fence"])}`)).out, /^released repo\/x\.\n$/);
    assert.match((await ask("history repo/x --lock")).out, /evt\.lock\.released\n/);
  }),
);

test(
  "an operator frees a lock with a reason, and nobody else does [W10]",
  beside(async ({ ask, answer, folder }) => {
    const wish = JSON.stringify({ paths: ["deploy"], ttl_seconds: 60, owner_id: "ann" });
    const { fence } = await answer(["run", "acquire-lock", wish]);
    const input = JSON.stringify({ fence, reason: "mine now" });
    const stranger = await ask(["run", "force-release", input]);
    assert.match(stranger.err, /\(not_allowed\)/);
    assert.match((await ask("force-release deploy")).err, /needs its reason/);
    assert.match((await ask("force-release gone --reason x")).err, /nobody holds gone itself/);
    assert.match((await ask("force-release deploy --token wrong --reason x")).err, /force|token/);
    assert.match(
      (await ask(["force-release", "deploy", "--reason", "host gone"])).out,
      /^freed deploy \(fence 1\.\d+\)/,
    );
    await answer(["run", "acquire-lock", wish]);
    const token = readFileSync(join(folder, ".holdfast", "operator-token"), "utf8").trim();
    const env = { HOLDFAST_TOKEN: token };
    assert.equal((await ask("force-release deploy --override --reason x", { env })).code, 0);
  }),
);

test(
  "a token is made, shown once, lets its bearer do what it says, and ends when it is revoked",
  beside(
    async ({ ask, answer }) => {
      const refused = await ask("locks");
      assert.equal(refused.code, 7);
      const made = await answer(["token", "create", "ci", "--allow", "read;lock,register:repo", "--note", "for tests"]);
      const env = { HOLDFAST_TOKEN: String(made["secret"]) };
      assert.equal((await ask("locks", { env })).code, 0);
      assert.equal((await ask(["put", "note/a", "{}"], { env })).code, 7);
      assert.match((await ask("token list")).out, /ci +read;lock,register:repo +in (29|30) d.* +for tests\n/);
      assert.match((await ask(`token revoke ${String(made["token_id"])} --reason leaked`)).out, /of ci is void/);
      assert.equal((await ask("locks", { env })).code, 7);
      assert.match((await ask("token create ci --allow fly")).err, /takes verbs of read, write/);
      assert.match((await ask("token create ci")).err, /say what it may do/);
    },
    { requireToken: true },
  ),
);

test(
  "events are shown from a cursor on, and the cursor of the last one goes on with the next",
  beside(async ({ ask, answer }) => {
    for (const id of ["a", "b", "c"]) await answer(["put", `note/${id}`, "{}"]);
    const first = (await ask("watch --after 1.0 --limit 2 --json")).out.trim().split("\n");
    const events = first.map((line) => JSON.parse(line) as { subject: string; cursor: string });
    assert.deepEqual(
      events.map(({ subject }) => subject),
      ["note/a", "note/b"],
    );
    const rest = await ask(`watch --after ${events[1]?.cursor ?? ""} --limit 1 --name evt.note.created`);
    assert.match(rest.out, /evt\.note\.created {2}note\/c/);
    assert.match((await ask("watch --after yesterday --limit 1")).err, /\(cursor_invalid\)/);
  }),
);

test(
  "what a server and a folder both know is asked of the server that runs, else read from the folder, and --verbose says which",
  beside(async ({ ask, answer, folder, url }) => {
    await answer(["put", "note/a", '{"n":1}']);
    const served = await ask("get note/a --json --verbose");
    assert.ok(served.err.includes(`asking ${url}`), served.err);
    const read = await ask(`get note/a --json --verbose --data ${join(folder, ".holdfast")}`);
    assert.match(read.err, /reading .*\.holdfast/);
    assert.equal(read.out, served.out);
    const below = await ask("get note/a --json --verbose", { folder: join(folder, "deep", "below") });
    assert.ok(below.err.includes(`asking ${url}`), "the nearest .holdfast, from here upwards");
    const named = await ask("get note/a", { env: { HOLDFAST_URL: "http://127.0.0.1:1" } });
    assert.equal(named.code, 122);
    assert.match(named.err, /\(unreachable\): No Holdfast server answers.*Start the server with `holdfast up`/);
    assert.match((await ask("get note/a --data x --url http://y")).err, /--data or --url, not both/);
  }),
);

test(
  "health says whether a server is ready, and with what number",
  beside(async ({ ask, url }) => {
    assert.match((await ask("health")).out, /is ready, at position \d+ \(epoch 1\)/);
    assert.equal((JSON.parse((await ask("health --json")).out) as { url: string }).url, url);
    assert.equal((await say("health --url http://127.0.0.1:1")).code, 122);
  }),
);

test(
  "who takes a lock in a shell script is known to the commands in it",
  beside(async ({ ask, answer }) => {
    const { agent_id: id, secret } = await answer(["run", "register-agent", '{"name":"ann"}']);
    const env = { HOLDFAST_AGENT_ID: String(id), HOLDFAST_AGENT_SECRET: String(secret) };
    await answer(["run", "acquire-lock", '{"paths":["a"],"ttl_seconds":60}'], { env });
    assert.match((await ask("whoami", { env })).out, /^agent .*, ann\n {2}holds a \(write\); fence 1\.\d+/);
    assert.match((await ask("agents")).out, new RegExp(`${String(id)} +ann `));
    assert.equal((await ask("release a", { env })).code, 0);
    assert.match((await ask("whoami")).err, /\(agent_required\)/);
  }),
);
