/** The configuration of a server: options override the environment, which overrides the file and the defaults. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "holdfast";
import { defaultAccessLimits } from "../../server/src/access/limits.ts";
import { serveOptions } from "../../server/src/doors/cli/args/serve-options.ts";
import { readConfig } from "../../server/src/config/read-config.ts";
import type { ConfigInput } from "../../server/src/config/read-config.ts";
import { optionOf, settingNames, settingOf, settings, variableOf } from "../../server/src/config/settings.ts";
import { runHere } from "./cli-terminal.ts";
import { holdfast, jsonLines } from "./holdfast-command.ts";
import { inEmptyFolder } from "./program.ts";

/** Reads a configuration in a folder whose data folder has this file. */
function read(folder: string, input: Partial<ConfigInput>, file?: unknown) {
  if (file !== undefined) {
    mkdirSync(join(folder, ".holdfast"), { recursive: true });
    writeFileSync(join(folder, ".holdfast", "holdfast.json"), typeof file === "string" ? file : JSON.stringify(file));
  }
  return readConfig({ options: {}, env: {}, folder, ...input });
}

test(
  "an option overrides the environment, the file and the default, and the source of each value is reported",
  inEmptyFolder(async (folder) => {
    const file = { port: 1, host: "127.0.0.2", lock_manager: false };
    const all = read(folder, { options: { port: "3" }, env: { HOLDFAST_PORT: "2", HOLDFAST_HOST: "127.0.0.3" } }, file);
    assert.deepEqual([all.config.port, all.config.host, all.config.lock_manager], [3, "127.0.0.3", false]);
    assert.deepEqual(
      [all.sources.port, all.sources.host, all.sources.lock_manager, all.sources.data],
      ["option", "environment", "file", "default"],
    );
    assert.equal(all.config.data, join(folder, ".holdfast"));
    const none = read(folder, { options: { data: "elsewhere" } });
    assert.deepEqual([none.config.port, none.sources.port], [settings.port.default, "default"]);
  }),
);

test(
  "the configuration file is holdfast.json in the data folder, or the named file, which must exist",
  inEmptyFolder(async (folder) => {
    mkdirSync(join(folder, "data"));
    writeFileSync(join(folder, "data", "holdfast.json"), '{"port": 11}');
    writeFileSync(join(folder, "mine.json"), '{"port": 12}');
    assert.equal(read(folder, { env: { HOLDFAST_DATA: "data" } }).config.port, 11);
    assert.equal(read(folder, { options: { data: "data", config: "mine.json" } }).config.port, 12);
    assert.equal(read(folder, { env: { HOLDFAST_CONFIG: "mine.json" } }).config.port, 12);
    assert.throws(() => read(folder, { options: { config: "gone.json" } }), /gone\.json cannot be read \(ENOENT\)/);
  }),
);

test(
  "a configuration file in a cloned repository names no peer, no operator's token and no other address of the server [X14]",
  inEmptyFolder(async (folder) => {
    const hostile = {
      journal: "postgres://evil.example/db",
      host: "0.0.0.0",
      allowed_hosts: ["evil.example"],
      operator_token: "a-token-that-the-author-of-the-repository-knows",
      nats: ["nats://evil.example"],
      nats_principal: "anonymous",
      nats_reply_prefixes: ["orders."],
      nats_ca: "evil.pem",
    };
    for (const [name, value] of Object.entries(hostile)) {
      const env = { HOLDFAST_NATS_PASSWORD: "hush" };
      const says = new RegExp(`^${name} in .*holdfast\\.json is not used, because .* name its folder with --data`, "u");
      assert.throws(() => read(folder, { env }, { [name]: value, port: 7 }), { message: says }, name);
      for (const named of [{ data: ".holdfast" }, { config: join(".holdfast", "holdfast.json") }])
        assert.deepEqual(read(folder, { env, options: named }).config[name as "nats"], value, name);
      assert.deepEqual(read(folder, { env: { HOLDFAST_DATA: ".holdfast" } }).config.port, 7);
    }
    assert.equal(read(folder, { options: { host: "127.0.0.1" } }, { host: "0.0.0.0" }).config.host, "127.0.0.1");
  }),
);

test("an empty environment variable counts as not set, and a switch without a value means on", () => {
  const { config, sources } = readConfig({
    options: { "lock-manager": true },
    env: { HOLDFAST_PORT: "", HOLDFAST_DATA: "" },
    folder: "/nowhere",
  });
  assert.deepEqual([config.port, sources.port, config.lock_manager], [settings.port.default, "default", true]);
});

for (const [what, input, file, says] of [
  ["an unknown key", {}, { prot: 1 }, /holdfast\.json has an unknown key "prot"; did you mean port\?/],
  [
    "an unknown key that resembles no setting",
    {},
    { "a.b": 1 },
    /an unknown key "a\.b"; the keys are data, journal, space, host, port/,
  ],
  [
    "a value of the wrong type",
    {},
    { port: "4700" },
    /port in .*holdfast\.json must be an integer from 0 to 65535, not "4700"/,
  ],
  ["a number that is too large", {}, { port: 65_536 }, /must be an integer from 0 to 65535, not 65536/],
  ["a switch that is a string", {}, { lock_manager: "on" }, /lock_manager in .* must be on or off, not "on"/],
  ["a file that is not JSON", {}, "{port: 1}", /holdfast\.json is not JSON/],
  ["a file that is not an object", {}, [], /must contain one JSON object/],
  ["a data folder in the configuration file", {}, { data: "x" }, /cannot set the data folder: use --data/],
  [
    "an option that is not a number",
    { options: { port: "many" } },
    undefined,
    /--port must be an integer .* not "many"/,
  ],
  ["a variable that is not a number", { env: { HOLDFAST_PORT: "1e3" } }, undefined, /HOLDFAST_PORT must be an integer/],
  ["an empty host", { options: { host: "" } }, undefined, /--host must be a non-empty string, not ""/],
  ["a switch without a valid value", { env: { HOLDFAST_LOCK_MANAGER: "maybe" } }, undefined, /on or off, not "maybe"/],
  [
    "a misspelled variable",
    { env: { HOLDFAST_LOCK_MANGER: "off" } },
    undefined,
    /HOLDFAST_LOCK_MANGER is not a setting; did you mean HOLDFAST_LOCK_MANAGER\?/,
  ],
] as const) {
  test(
    `${what} is refused with the name of the setting and the valid values`,
    inEmptyFolder(async (folder) => {
      assert.throws(() => read(folder, input, file), says);
    }),
  );
}

test("the server uses the default access limits if no setting overrides them", () => {
  const { limits } = serveOptions(readConfig({ options: {}, env: {}, folder: "/nowhere" }), {
    isJson: false,
    write: () => undefined,
    report: () => undefined,
  });
  assert.deepEqual(limits, defaultAccessLimits);
});

test("the server ignores environment variables of clients and of other programs", () => {
  const env = { HOLDFAST_URL: "http://x", HOLDFAST_AGENT_SECRET: "s", HOLDFAST_TEST_POSTGRES: "y", HOLDFASTED: "z" };
  assert.equal(readConfig({ options: {}, env, folder: "/nowhere" }).sources.port, "default");
});

test(
  "up --print-config prints all settings and starts no server",
  inEmptyFolder(async (folder) => {
    const people = await runHere(folder, "up --print-config --port 7");
    for (const name of settingNames)
      assert.ok(
        people.lines.some((line) => line.startsWith(`${name} `)),
        name,
      );
    assert.match(people.lines.join("\n"), /^port +7 +option$/m);
    const [program] = jsonLines(await runHere(folder, "up --print-config --json"));
    assert.deepEqual(Object.keys(program?.["config"] as object), settingNames);
    assert.ok(!existsSync(join(folder, ".holdfast")));
    const help = (await runHere(folder, "help up")).lines.join("\n");
    for (const name of settingNames.filter((each) => settingOf(each).isSecret !== true)) {
      assert.ok(help.includes(`--${optionOf(name)}`), name);
      assert.ok(help.includes(`$${variableOf(name)}`), name);
    }
  }),
);

test(
  "a secret setting has no option, and its value is never printed",
  inEmptyFolder(async (folder) => {
    const env = { HOLDFAST_OPERATOR_TOKEN: "hush-hush-hush-hush-hush-hush-hush" };
    const shown = await runHere(folder, "up --print-config --json", { env });
    assert.ok(!shown.lines.join("").includes("hush"), shown.lines.join(""));
    assert.match(shown.lines.join(""), /"operator_token":"\(given\)"/);
    assert.match((await runHere(folder, "up --operator-token x")).errors, /unknown option --operator-token/);
  }),
);

test(
  "the password of a journal is never printed: not by --print-config, not in an error, not by a failed start",
  inEmptyFolder(async (folder) => {
    const env = { HOLDFAST_JOURNAL: "postgres://ann:hush@127.0.0.1:1/db?password=hush&sslmode=disable" };
    const shown = await runHere(folder, "up --print-config", { env });
    assert.match(shown.lines.join("\n"), /^journal +postgres:\/\/ann@127\.0\.0\.1:1\/db +environment$/m);
    const failed = await runHere(folder, ["up", "--journal", env.HOLDFAST_JOURNAL]);
    assert.equal(failed.code, 6);
    assert.match(failed.errors, /can read the password in --journal[^]*ECONNREFUSED/);
    const wrong = await runHere(folder, "up", { env: { HOLDFAST_JOURNAL: "mysql://ann:hush@127.0.0.1/db" } });
    assert.match(wrong.errors, /HOLDFAST_JOURNAL must be a URL like postgres:\S+, not the given value/);
    for (const { lines, errors } of [shown, failed, wrong])
      assert.ok(!(lines.join() + errors).includes("hush"), errors);
  }),
);

test(
  "up refuses a database for a folder that contains a journal, and a second space for a folder",
  inEmptyFolder(async (folder) => {
    await (await open(join(folder, ".holdfast"))).close();
    const passed = await runHere(folder, "up --journal postgres://ann@127.0.0.1:1/db");
    assert.deepEqual([passed.code, passed.errors.includes("contains a journal of its own")], [7, true], passed.errors);
    const spaced = await runHere(folder, "up --space other");
    assert.deepEqual([spaced.code, spaced.errors.includes("other spaces need --journal")], [2, true], spaced.errors);
  }),
);

test(
  "up reads its port and the switch for locks from the file, and server.json names its address while it runs [M6]",
  inEmptyFolder(async (folder) => {
    const data = join(folder, ".holdfast");
    mkdirSync(data);
    writeFileSync(join(data, "holdfast.json"), '{"port": 0, "lock_manager": false}');
    const program = holdfast(folder, "up --json", { env: { HOLDFAST_PORT: "" } });
    const up = JSON.parse(await program.line(/"event":"up"/)) as Record<string, unknown>;
    const note = JSON.parse(readFileSync(join(data, "server.json"), "utf8")) as Record<string, unknown>;
    assert.deepEqual([note["url"], note["pid"]], [up["url"], program.pid]);
    program.signal("SIGTERM");
    assert.equal((await program.ended).code, 0);
    assert.ok(!existsSync(join(data, "server.json")), "a stopped server removes server.json");
    await using client = await open(data);
    await assert.rejects(client.operations.acquireLock({ paths: ["a"], ownerId: "ann" }), { code: "locks_off" });
  }),
);

test(
  "up refuses a port in use and a host that other hosts can reach, each with one sentence",
  inEmptyFolder(async (folder) => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const inUse = await runHere(folder, `up --port ${port}`);
    const [failed] = jsonLines(await runHere(folder, `up --json --port ${port}`));
    other.close();
    assert.equal(inUse.code, 8, inUse.errors);
    assert.match(inUse.errors, /another process listens on 127\.0\.0\.1:\d+; stop it, or choose a port with --port/);
    assert.equal(inUse.errors.trim().split("\n").length, 1, "one sentence, not a stack trace");
    assert.deepEqual([failed?.["code"], failed?.["exit"]], ["cannot_listen", 8]);
    const foreign = await runHere(folder, "up --host 0.0.0.0");
    assert.equal(foreign.code, 7, foreign.errors);
    assert.match(foreign.errors, /callers at 0\.0\.0\.0 could not be authenticated/);
    assert.equal(foreign.errors.trim().split("\n").length, 1, "one sentence, not a stack trace");
  }),
);
